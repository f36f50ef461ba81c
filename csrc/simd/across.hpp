// The sum and the largest of sixteen lanes, halving them in one order whatever the width: lanes 8
// apart first, then 4, 2 and 1 apart.
#pragma once

#include "csrc/simd/v16.hpp"

#if PREFRONTAL_V16_BYTES > 4 && defined(__SSE__)
#include <immintrin.h>
#endif

namespace prefrontal::simd {
namespace {

struct Sum {
  template <class T>
  PREFRONTAL_INLINE T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

struct Larger {
  template <class T>
  PREFRONTAL_INLINE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

#if PREFRONTAL_V16_BYTES > 4 && defined(__SSE__)

template <class Two>
PREFRONTAL_INLINE float across_four(__m128 a, Two two) {
  a = two(a, _mm_movehl_ps(a, a));
  a = two(a, _mm_shuffle_ps(a, a, 1));
  return _mm_cvtss_f32(a);
}

template <class Two>
PREFRONTAL_INLINE float across(const v16& lanes, Two two) {
#if PREFRONTAL_V16_BYTES == 64
  const __m512d bits = (__m512d)lanes.part[0];
  const __m256d none = _mm256_setzero_pd();  // GCC warns of the undefined lanes of a plain cast
  const __m256 eight = two((__m256)_mm512_mask_extractf64x4_pd(none, 0xF, bits, 0),
                           (__m256)_mm512_mask_extractf64x4_pd(none, 0xF, bits, 1));
#elif PREFRONTAL_V16_BYTES == 32
  const __m256 eight = two((__m256)lanes.part[0], (__m256)lanes.part[1]);
#endif
#if PREFRONTAL_V16_BYTES > 16
  return across_four(two(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1)), two);
#else
  return across_four(
      (__m128)two(two(lanes.part[0], lanes.part[2]), two(lanes.part[1], lanes.part[3])), two);
#endif
}

#else

template <class Two>
PREFRONTAL_INLINE float across(const v16& lanes, Two two) {
  float a[kLanes];
  store(lanes, a);
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) a[lane] = two(a[lane], a[lane + half]);
  }
  return a[0];
}

#endif

PREFRONTAL_INLINE float total(const v16& lanes) { return across(lanes, Sum{}); }

// Some lane where one is NaN.
PREFRONTAL_INLINE float largest(const v16& lanes) { return across(lanes, Larger{}); }

}  // namespace
}  // namespace prefrontal::simd
