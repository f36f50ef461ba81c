// exp and the logistic function with the same bits on every instruction set, for one number and
// for sixteen.
//
// exp(x) = 2^k * e^r with k = round(x / ln 2) and r = x - k ln 2 in two steps (Cody and Waite), e^r
// by a polynomial of degree 6. No fused multiply-add, so nothing depends on the processor.
#pragma once

#include "csrc/simd/v16.hpp"

namespace prefrontal::simd {
namespace {

PREFRONTAL_INLINE float constant(float value, float) { return value; }

PREFRONTAL_INLINE v16 constant(float value, const v16&) { return splat(value); }

// e^x within 2 ulp; x outside [-87, 88] counts as the nearer end, NaN gives the quiet NaN.
template <class F>
PREFRONTAL_INLINE F exp_of(const F& asked) {
  const auto number = [&](float value) { return constant(value, asked); };
  const F shift = number(12582912.0f);  // 1.5 * 2^23: adding it rounds to a whole number
  F x = if_less(asked, number(-87.0f), number(-87.0f), asked);
  x = if_less(number(88.0f), x, number(88.0f), x);
  const F shifted = x * number(1.44269504f) + shift;
  const F k = shifted - shift;
  const F r = (x - k * number(0.693359375f)) - k * number(-2.12194440e-4f);
  F p = number(1.9875691500e-4f);  // the coefficients of Cephes' expf (Moshier)
  p = p * r + number(1.3981999507e-3f);
  p = p * r + number(8.3334519073e-3f);
  p = p * r + number(4.1665795894e-2f);
  p = p * r + number(1.6666665459e-1f);
  p = p * r + number(5.0000001201e-1f);
  p = (p * (r * r) + r) + number(1.0f);
  return if_nan(asked, number(__builtin_nanf("")), p * two_to(shifted));
}

// 1 / (1 + e^-x); |x| > 87 counts as 87, which keeps the value above 0 and out of the subnormals.
template <class F>
PREFRONTAL_INLINE F sigmoid_of(const F& asked) {
  const F one = constant(1.0f, asked);
  const F low = constant(-87.0f, asked);
  const F x = if_less(asked, low, low, asked);
  return one / (one + exp_of(constant(0.0f, asked) - x));
}

}  // namespace
}  // namespace prefrontal::simd
