// The chance that a window matters, from its score, as labels so far say.
//
//   log-odds q = a + (1 + b) log-odds p
//
// A scorer that learns in large steps gives what matters now and then scores that are too low, one
// that learns in small steps says too little of everything; both show in labels long before audits
// find what was missed. a and b follow a Bayesian logistic regression (Platt scaling, 1999; the
// Gaussian approximation of Spiegelhalter and Lauritzen, 1990) that forgets at the rate of one in
// 200 labels, towards a = b = 0, which trusts the score.
#pragma once

namespace prefrontal::pulse {

class ScoreCalibration {
 public:
  // In [0, 1], increasing; 0 and 1 stay what they are.
  double chance_of(double score) const;
  // The score that has this chance.
  double score_of(double chance) const;
  void learn(double score, bool relevant);

  // Calls visit(name, number) for all of it.
  template <class Self, class Visit>
  static void each_number(Self& self, Visit visit) {
    visit("calibration_shift", self.shift_), visit("calibration_slope", self.slope_);
    visit("calibration_sure_shift", self.sure_shift_);
    visit("calibration_sure_both", self.sure_both_);
    visit("calibration_sure_slope", self.sure_slope_);
  }

 private:
  static constexpr double kSureShift = 4.0;  // of the prior, as variances of labels
  static constexpr double kSureSlope = 10.0;

  double shift_ = 0.0;                                                          // a
  double slope_ = 0.0;                                                          // b
  double sure_shift_ = kSureShift, sure_both_ = 0.0, sure_slope_ = kSureSlope;  // precision
};

}  // namespace prefrontal::pulse
