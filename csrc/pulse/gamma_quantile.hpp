// Quantiles of the gamma distribution, for intervals of counts that are only expected.
#pragma once

namespace prefrontal::pulse {

// The value that a gamma variable of this mean and variance stays below with probability `share`;
// 0 for a mean of 0. variance > 0, share in (0, 1).
double gamma_quantile(double mean, double variance, double share);

}  // namespace prefrontal::pulse
