#include "csrc/pulse/gamma_quantile.hpp"

#include <cmath>

namespace prefrontal::pulse {
namespace {

constexpr int kMostTerms = 2000;

double gamma_series(double shape, double x) {
  double term = 1.0 / shape;
  double sum = term;
  for (int n = 1; n < kMostTerms && term > sum * 1e-16; ++n) sum += term *= x / (shape + n);
  return sum;
}

// Continued fraction of the upper incomplete gamma function (modified Lentz).
double gamma_fraction(double shape, double x) {
  double b = x + 1.0 - shape;
  double c = 1e300;
  double d = 1.0 / b;
  double h = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double factor = -n * (n - shape);
    b += 2.0;
    d = 1.0 / (factor * d + b);
    c = b + factor / c;
    h *= d * c;
    if (std::fabs(d * c - 1.0) < 1e-15) break;
  }
  return h;
}

// Cumulative distribution at x, in units of the scale.
double gamma_share(double shape, double x) {
  if (x <= 0.0) return 0.0;
  const double front = std::exp(shape * std::log(x) - x - std::lgamma(shape));
  return x < shape + 1.0 ? front * gamma_series(shape, x) : 1.0 - front * gamma_fraction(shape, x);
}

}  // namespace

double gamma_quantile(double mean, double variance, double share) {
  if (mean <= 0.0) return 0.0;
  const double shape = mean * mean / variance;
  double low = 0.0;
  double high = shape + 1.0;
  while (gamma_share(shape, high) < share) high *= 2.0;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (gamma_share(shape, middle) < share ? low : high) = middle;
  }
  return 0.5 * (low + high) * variance / mean;
}

}  // namespace prefrontal::pulse
