// Sixteen float32 lanes as native vectors: 1 of 64, 2 of 32 or 4 of 16 bytes, or 16 plain floats.
//
// A wider vector than the machine has (vector_size(64) on AVX2) is lowered with spills by GCC, ten
// times slower; hence parts of native width. Everything here is local to the file that includes it.
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(PREFRONTAL_SCALAR) || !defined(__GNUC__)
#define PREFRONTAL_V16_BYTES 4
#elif defined(__AVX512F__)
#define PREFRONTAL_V16_BYTES 64
#elif defined(__AVX2__)
#define PREFRONTAL_V16_BYTES 32
#else
#define PREFRONTAL_V16_BYTES 16
#endif

#if defined(__GNUC__)
#define PREFRONTAL_INLINE [[gnu::always_inline]] inline
#else
#define PREFRONTAL_INLINE inline
#endif

namespace prefrontal::simd {
namespace {

#if PREFRONTAL_V16_BYTES == 4
typedef float native_f;
typedef uint32_t native_u;
typedef float in_memory_f;
#else
typedef float native_f __attribute__((vector_size(PREFRONTAL_V16_BYTES)));
typedef uint32_t native_u __attribute__((vector_size(PREFRONTAL_V16_BYTES)));
typedef float in_memory_f __attribute__((vector_size(PREFRONTAL_V16_BYTES), aligned(4), may_alias));
#endif

constexpr int kLanes = 16;
constexpr int kParts = kLanes * 4 / PREFRONTAL_V16_BYTES;

struct v16 {
  native_f part[kParts];
};

#define PREFRONTAL_EACH(p) for (int p = 0; p < kParts; ++p)

PREFRONTAL_INLINE v16 load(const float* from) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = reinterpret_cast<const in_memory_f*>(from)[p];
  return out;
}

PREFRONTAL_INLINE void store(const v16& a, float* to) {
  PREFRONTAL_EACH(p) reinterpret_cast<in_memory_f*>(to)[p] = a.part[p];
}

// The first n lanes from memory, the others 0; 0 <= n <= 16.
PREFRONTAL_INLINE v16 load_first(const float* from, int n) {
  float lanes[kLanes] = {};
  for (int i = 0; i < n; ++i) lanes[i] = from[i];
  return load(lanes);
}

PREFRONTAL_INLINE void store_first(const v16& a, float* to, int n) {
  float lanes[kLanes];
  store(a, lanes);
  for (int i = 0; i < n; ++i) to[i] = lanes[i];
}

PREFRONTAL_INLINE v16 splat(float value) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = value - native_f{};
  return out;
}

PREFRONTAL_INLINE v16 operator+(const v16& a, const v16& b) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = a.part[p] + b.part[p];
  return out;
}

PREFRONTAL_INLINE v16 operator-(const v16& a, const v16& b) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = a.part[p] - b.part[p];
  return out;
}

PREFRONTAL_INLINE v16 operator*(const v16& a, const v16& b) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = a.part[p] * b.part[p];
  return out;
}

PREFRONTAL_INLINE v16 operator/(const v16& a, const v16& b) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = a.part[p] / b.part[p];
  return out;
}

// a < b ? yes : no, lane by lane; false where a or b is NaN.
PREFRONTAL_INLINE v16 if_less(const v16& a, const v16& b, const v16& yes, const v16& no) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = a.part[p] < b.part[p] ? yes.part[p] : no.part[p];
  return out;
}

// a is NaN ? yes : no, lane by lane.
PREFRONTAL_INLINE v16 if_nan(const v16& a, const v16& yes, const v16& no) {
  v16 out;
  PREFRONTAL_EACH(p) out.part[p] = a.part[p] == a.part[p] ? no.part[p] : yes.part[p];
  return out;
}

// 2^k of the whole number k that `shifted` = k + 1.5 * 2^23 carries in its lowest bits.
PREFRONTAL_INLINE v16 two_to(const v16& shifted) {
  v16 out;
  PREFRONTAL_EACH(p) {
    native_u bits;
    memcpy(&bits, &shifted.part[p], sizeof bits);
    bits = (bits - 0x4B400000u + 127u) << 23;
    memcpy(&out.part[p], &bits, sizeof bits);
  }
  return out;
}

// The same words for a single number, so that a formula is written once.
PREFRONTAL_INLINE float if_less(float a, float b, float yes, float no) { return a < b ? yes : no; }

PREFRONTAL_INLINE float if_nan(float a, float yes, float no) { return a == a ? no : yes; }

PREFRONTAL_INLINE float two_to(float shifted) {
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits - 0x4B400000u + 127u) << 23;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

#undef PREFRONTAL_EACH

}  // namespace
}  // namespace prefrontal::simd
