#include "csrc/pulse/score_calibration.hpp"

#include <algorithm>

#include "csrc/simd/exp.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::pulse {
namespace {

constexpr double kForgotten = 1.0 / 200.0;  // of what labels said, each label
constexpr double kLeastSlope = -0.7;        // b
constexpr double kMostSlope = 2.0;
constexpr double kFarthest = 9.2;  // log-odds beyond which a score tells no more of a and b

double odds_of(double share) { return simd::natural_log(share) - simd::natural_log(1.0 - share); }

double share_of(double odds) { return simd::sigmoid_of(static_cast<float>(odds)); }

}  // namespace

double ScoreCalibration::chance_of(double score) const {
  if (score <= 0.0) return 0.0;
  if (score >= 1.0) return 1.0;
  return share_of(shift_ + (1.0 + slope_) * odds_of(score));
}

double ScoreCalibration::score_of(double chance) const {
  if (chance <= 0.0) return 0.0;
  if (chance >= 1.0) return 1.0;
  return share_of((odds_of(chance) - shift_) / (1.0 + slope_));
}

// One step of Newton's method from where the last label left off; the precision of the step is that
// of the labels that are remembered and of the prior.
void ScoreCalibration::learn(double score, bool relevant) {
  const double odds =
      std::clamp(odds_of(std::clamp(score, 1e-9, 1.0 - 1e-9)), -kFarthest, kFarthest);
  const double chance = share_of(shift_ + (1.0 + slope_) * odds);
  const double told = chance * (1.0 - chance);
  sure_shift_ += kForgotten * (kSureShift - sure_shift_) + told;
  sure_both_ += told * odds - kForgotten * sure_both_;
  sure_slope_ += kForgotten * (kSureSlope - sure_slope_) + told * odds * odds;
  const double error = (relevant ? 1.0 : 0.0) - chance;
  const double shift = error - kForgotten * kSureShift * shift_;
  const double slope = error * odds - kForgotten * kSureSlope * slope_;
  const double scale = 1.0 / (sure_shift_ * sure_slope_ - sure_both_ * sure_both_);
  shift_ += scale * (sure_slope_ * shift - sure_both_ * slope);
  slope_ += scale * (sure_shift_ * slope - sure_both_ * shift);
  slope_ = std::clamp(slope_, kLeastSlope, kMostSlope);
}

}  // namespace prefrontal::pulse
