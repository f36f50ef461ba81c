// From the past scores of what mattered to a threshold that keeps an asked recall.
//
// The threshold is the k-th smallest of the last n scores of relevant windows, k = floor((n+1) a):
// if the next relevant window is like the last ones, it is missed with probability <= a (split
// conformal prediction). a = 1 - recall + correction, and the correction follows the balance of the
// relevant windows decided so far, d of them and at most memory,
//
//   balance += 1 - recall - missed,  correction = step sqrt(1 - recall) balance memory / d
//
// which keeps the long-run recall under drift (adaptive conformal inference, Gibbs and Candes,
// NeurIPS 2021; as integral control of the share missed, Angelopoulos, Candes and Tibshirani,
// NeurIPS 2023) and, by the greater gain while d is small, on a short history as well.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace prefrontal::pulse {

struct Interval {
  double low = 0.0;
  double high = 1.0;
};

// Exact (Clopper-Pearson) interval of a share after `hits` of `trials`; [0, 1] without trials.
Interval share_interval(std::size_t hits, std::size_t trials, double confidence = 0.9);

class RecallPromise {
 public:
  // recall in (0, 1]; memory >= 1 relevant windows, raised to needed(); 0 <= step < 1.
  RecallPromise(double recall, std::size_t memory, double step);

  // Scores at or above it wake. 0 as long as every window must wake to keep the promise.
  double threshold() const { return threshold_; }

  // The outcome of one window that was decided with `threshold`.
  void observe(double score, bool relevant, double threshold);

  double recall() const { return recall_; }
  std::size_t positives() const { return recent_.size(); }
  // Fewest relevant windows from which a threshold above 0 follows: ceil(1 / (1 - recall)) - 1.
  std::size_t needed() const;
  bool can_promise() const { return positives() >= needed(); }
  // Relevant windows of the last `memory` that were decided while a promise held, and of these
  // the ones that were caught.
  std::size_t decided() const { return decided_.size(); }
  std::size_t caught() const;
  // Where the recall lies: around what was caught lately, or, until needed() relevant windows were
  // decided, around what the order of the past scores implies (a beta distribution).
  Interval interval(double confidence = 0.9) const;

  // All that later thresholds depend on; `restore` of it goes on to the bit.
  struct Memory {
    std::vector<double> scores;  // of relevant windows, oldest first
    std::vector<bool> caught;    // of those decided, oldest first
    double balance = 0.0;
  };
  Memory memory() const;
  void restore(const Memory& memory);

 private:
  void steer();
  void place();
  double allowance() const;
  void correct(bool missed);
  std::size_t rank() const;
  double recall_;
  std::size_t memory_;
  double step_;
  double balance_ = 0.0;  // windows caught beyond the target, negative: too many missed
  double correction_ = 0.0;
  double threshold_ = 0.0;
  std::deque<double> recent_;   // scores of relevant windows, oldest first
  std::vector<double> sorted_;  // the same, ascending
  std::deque<bool> decided_;    // of relevant windows, oldest first: was it caught
};

}  // namespace prefrontal::pulse
