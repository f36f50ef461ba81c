// log(1 + e^x) with the same bits on every instruction set.
//
// max(x, 0) + log1p(e^-|x|); log1p(u) = 2 (s + s^3/3 + s^5/5 + ...), s = u / (2 + u), u in (0, 1].
#pragma once

#include "csrc/simd/exp.hpp"

namespace prefrontal::simd {
namespace {

// Within 3 ulp; NaN stays NaN.
template <class F>
PREFRONTAL_INLINE F softplus_of(const F& x) {
  const auto number = [&](float value) { return constant(value, x); };
  const F zero = number(0.0f);
  const F u = exp_of(if_less(x, zero, x, zero - x));
  const F s = u / (number(2.0f) + u);
  const F z = s * s;  // up to 1/9
  F p = number(1.0f / 13.0f);
  for (float odd = 11.0f; odd >= 3.0f; odd -= 2.0f) p = p * z + number(1.0f / odd);
  const F two = number(2.0f);
  return if_less(x, zero, zero, x) + (two * s + two * s * z * p);
}

}  // namespace
}  // namespace prefrontal::simd
