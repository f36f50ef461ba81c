// The hyperbolic tangent and the square root with the same bits on every instruction set.
//
// tanh x = 1 - 2 / (e^2x + 1), and near 0, where that cancels, x + x^3 P(x^2) with P of degree 4.
#pragma once

#include "csrc/simd/exp.hpp"
#include "csrc/simd/v16.hpp"

#if PREFRONTAL_V16_BYTES > 4 && defined(__SSE__)
#include <immintrin.h>
#endif

namespace prefrontal::simd {
namespace {

// tanh x within 3 ulp; NaN stays NaN.
template <class F>
PREFRONTAL_INLINE F tanh_of(const F& x) {
  const auto number = [&](float value) { return constant(value, x); };
  const F zero = number(0.0f);
  const F one = number(1.0f);
  const F size = if_less(x, zero, zero - x, x);
  const F far = one - number(2.0f) / (exp_of(size + size) + one);
  const F z = x * x;
  F p = number(-5.70498872745e-3f);  // the coefficients of Cephes' tanhf (Moshier)
  p = p * z + number(2.06390887954e-2f);
  p = p * z - number(5.37397155531e-2f);
  p = p * z + number(1.33314422036e-1f);
  p = p * z - number(3.33332819422e-1f);
  return if_less(size, number(0.625f), p * z * x + x, if_less(x, zero, zero - far, far));
}

// Correctly rounded, as IEEE 754 asks of every processor.
PREFRONTAL_INLINE float sqrt_of(float x) { return __builtin_sqrtf(x); }

PREFRONTAL_INLINE v16 sqrt_of(const v16& x) {
  v16 out;
  for (int p = 0; p < kParts; ++p) {
#if PREFRONTAL_V16_BYTES == 64
    out.part[p] = (native_f)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)x.part[p]);
#elif PREFRONTAL_V16_BYTES == 32
    out.part[p] = (native_f)_mm256_sqrt_ps((__m256)x.part[p]);
#elif PREFRONTAL_V16_BYTES == 16 && defined(__SSE__)
    out.part[p] = (native_f)_mm_sqrt_ps((__m128)x.part[p]);
#elif PREFRONTAL_V16_BYTES == 16
    for (int lane = 0; lane < 4; ++lane) out.part[p][lane] = __builtin_sqrtf(x.part[p][lane]);
#else
    out.part[p] = __builtin_sqrtf(x.part[p]);
#endif
  }
  return out;
}

}  // namespace
}  // namespace prefrontal::simd
