// Natural logarithm with the same bits on every processor (libm's may differ by an ulp).
//
// ln x = k ln 2 + 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1)/(m + 1), x = m 2^k, m in [0.7, 1.42).
#pragma once

#include <cmath>

namespace prefrontal::simd {

// Within 2 ulp for finite x > 0; the caller keeps other numbers out.
inline double natural_log(double x) {
  int k = 0;
  double m = std::frexp(x, &k);  // exact
  if (m < 0.70710678118654752) {
    m *= 2.0;
    --k;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0.0;
  for (int odd = 23; odd >= 3; odd -= 2) sum = (sum + 1.0 / odd) * s2;
  return k * 0.69314718055994531 + 2.0 * (s + s * sum);
}

}  // namespace prefrontal::simd
