// e^x in double precision with the same bits on every processor (libm's may differ by an ulp).
//
// e^x = 2^k e^r, k = round(x / ln 2), r = x - k ln 2 in two steps (Cody and Waite), e^r by its
// Taylor series to degree 13.
#pragma once

#include <cmath>

namespace prefrontal::simd {

// Within 2 ulp; x outside [-700, 700] counts as the nearer end.
inline double exponential(double x) {
  x = x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  double sum = 1.0;
  for (int degree = 13; degree >= 1; --degree) sum = 1.0 + sum * r / degree;
  return std::ldexp(sum, static_cast<int>(k));
}

inline double logistic(double x) { return 1.0 / (1.0 + exponential(-x)); }

}  // namespace prefrontal::simd
