// The threshold that keeps an asked recall when only what was asked about is ever labelled.
//
// A window is asked about when it wakes or when an audit draws it out of what sleeps; nobody says
// what the rest was. The rest counts as the scorer expects it: by its chance q, which is its score
// as far as labels say that the scorer is right (`ScoreCalibration`), times how far audits say so,
//
//   missed = phi sum of q over what slept,  phi = (n c nu + found) / (n + expected)  (gamma prior)
//
// found: relevant audits, expected: q of the audits; nu: the same quotient of wakes, those near the
// threshold above all; c = 1.5 and n = 2: what sleeps does so by scores that happened to be low, so
// more of it matters than they say, until audits know better. A window that sleeps is drawn with
// chance 5 b (q / threshold)^3, at least b / 4. An audit tells of phi in proportion to its q, so
// most of them belong close below the threshold, as in optimal allocation (Neyman, 1934; active
// testing, Kossen et al., ICML 2021), and the least chance finds what the scorer knows nothing of.
// The threshold is the quantile 1 - recall + correction of what mattered and no audit catches, as
// expected of the last 200 of it; the correction follows the balance of caught and missed as in
// `RecallPromise`, which takes over where a source labels every window. 0 until 1 / (1 - recall) -
// 1 relevant windows are known: everything wakes.
//
// Where answers come late, other answers have moved the scorer since: what was asked about then
// moves to where the scorer puts it now, just before it learns of the label, so that the threshold
// follows scores of today. Labels tell of the scorer's errors only by scores that moved by less
// than 1 of log-odds: a score of then is no longer given, and one of now knows the answers of its
// neighbours.
//
// The first version of the rules, which earlier releases decided by, takes scores as they are, with
// c = 1, n = 8 and audits of 3 b (p / threshold)^3, at least b / 8; the second moves nothing.
//
// The state moves with a window that is asked about and with a label, never between, so a log of
// these two, each with the mass that slept meanwhile, is enough to decide all of it again.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "csrc/pulse/recall.hpp"
#include "csrc/pulse/score_calibration.hpp"

namespace prefrontal::pulse {

struct RecallFigures {
  double recall = 1.0;
  Interval interval;
  double audits = 0.0;  // labelled ones
};

class RecallControl {
 public:
  static constexpr std::size_t kBins = 160;  // of log-odds, from -8 to 8
  using Mass = std::array<double, kBins>;

  // recall in (0, 1]; memory and step of the `RecallPromise`; share in [0, 1] of what sleeps to
  // audit, about: b = 2 share, and 0 for no audits at all. version: of the rules, 1 to 3; throws
  // std::invalid_argument for others.
  RecallControl(double recall, std::size_t memory, double step, double share, int version);

  // Scores at or above it wake.
  double threshold() const { return complete_ ? promise_.threshold() : score_threshold_; }
  // That a window with this score is asked about although it would sleep.
  double audit_chance(double score) const;

  // A window that is not asked about.
  void slept(double score);
  // One that is: propensity 1 for a wake, the chance of its draw for an audit; `unseen` the share
  // of its features that no label told of.
  void asked(double score, double propensity, double unseen);
  // The label of a window that was asked about, decided with `threshold`; without a propensity it
  // comes from a source that labels every window, and this one may have slept. now: the score that
  // the window has just before this label is learned, `score` where nothing moved it.
  void labelled(double score, bool relevant, double threshold, std::optional<double> propensity,
                double now);

  double recall() const { return recall_; }
  // Relevant windows that are known.
  double known() const { return known_; }
  std::size_t needed() const { return promise_.needed(); }
  int version() const;
  // Whether every window is labelled, so that `RecallPromise` decides.
  bool complete() const { return complete_; }
  // Whether `now` of a label counts.
  bool moves() const;
  // Recall since the start; nothing while nothing relevant is known. Audits count as caught.
  std::optional<RecallFigures> figures(double confidence = 0.9) const;

  // Why recall is watched more closely now, until `left` more relevant windows are labelled.
  struct Alarm {
    double left = 0.0;
    double unseen = 0.0;  // share of the features that is new lately, 0: audits found too much
    double usual = 0.0;   // and was before
  };
  std::optional<Alarm> alarm() const;

  // What was asked about and has no label yet, oldest first, at most kMostPending: its score,
  // whether it woke, and what is left of the mass that it brought to a bin.
  struct Pending {
    double score = 0.0;
    bool woke = false;
    std::size_t bin = 0;
    double mass = 0.0;
  };
  static constexpr std::size_t kMostPending = 500;
  const std::deque<Pending>& pending() const { return pending_; }
  // Throws std::invalid_argument for a bin that there is not.
  void set_pending(std::deque<Pending> pending);

  // Expected mass by bin of what slept since the last window that was asked about.
  const Mass& meanwhile() const { return meanwhile_; }
  void set_meanwhile(const Mass& mass);

  // Calls visit(name, member) for all that later decisions depend on, `promise()` aside; the second
  // for what the first version of the rules has no need of.
  template <class Self, class Visit>
  static void each_number(Self& self, Visit visit);
  template <class Self, class Visit>
  static void each_calibrated(Self& self, Visit visit);
  template <class Self, class Visit>
  static void each_mass(Self& self, Visit visit);
  // What the first version of the rules knew, restored, goes on with scores as they are.
  void trust_scores();
  const RecallPromise& promise() const { return promise_; }
  void restore_promise(const RecallPromise::Memory& memory) { promise_.restore(memory); }
  void set_complete(bool complete) { complete_ = complete; }

 private:
  struct Belief {  // relevant labels beside what the scorer expected of them
    double found = 0.0;
    double expected = 0.0;
    void add(double score, bool relevant, double weight, double memory);
    void fade(double share) { found *= share, expected *= share; }
    // Mean and variance under a gamma prior of that mean, worth `prior` labels.
    double mean(double prior, double center = 1.0) const;
    double variance(double prior, double center = 1.0) const;
  };
  struct Rules;
  static const Rules& rules_of(int version);
  double chance_of(double score) const;  // q
  double audit_chance_of(double chance) const;
  double share_missed() const;  // phi
  double expected_unlabelled() const;
  void settle();
  void fade(double keep);
  void move_mass(double score, double now);
  void count(double expected, double balance);
  void watch(double unseen);
  void weigh(double score, bool relevant);
  void raise(double unseen);
  void move();
  void set_threshold(double chance);

  const Rules* rules_;
  double recall_;
  double budget_;  // b
  RecallPromise promise_;
  bool complete_ = false;
  double threshold_ = 0.0;        // chances at or above it wake
  double score_threshold_ = 0.0;  // and the scores that have them
  double known_ = 0.0;
  double balance_ = 0.0;               // expected windows caught beyond the target
  double decided_ = 0.0;               // expected relevant windows in it, at most the memory
  Belief wakes_, near_, sleeps_;       // lately
  Belief all_wakes_, all_sleeps_;      // since the start
  double woken_ = 0.0, missed_ = 0.0;  // q of wakes and of what slept, since the start
  double asked_scores_ = 0.0, told_scores_ = 0.0;  // of wakes, and of those with a label
  double waiting_ = 0.0;                           // scores of audits without a label
  double audits_ = 0.0, relevant_audits_ = 0.0;
  double caught_ = 0.0;  // relevant windows that woke, of complete labels
  double watched_ = 0.0, usual_ = 0.0, usual_square_ = 0.0, lately_ = 0.0;  // unseen shares
  double excess_ = 0.0, surprise_ = 0.0;                                    // the two CUSUMs
  double alarm_left_ = 0.0, alarm_unseen_ = 0.0, alarm_usual_ = 0.0;
  Mass woke_{}, below_{}, meanwhile_{};
  std::deque<Pending> pending_;
  ScoreCalibration calibration_;
};

template <class Self, class Visit>
void RecallControl::each_number(Self& self, Visit visit) {
  const auto belief = [&](const char* found, const char* expected, auto& b) {
    visit(found, b.found), visit(expected, b.expected);
  };
  visit("threshold", self.threshold_), visit("known", self.known_);
  visit("balance", self.balance_), visit("decided", self.decided_);
  belief("wakes_found", "wakes_expected", self.wakes_);
  belief("near_found", "near_expected", self.near_);
  belief("sleeps_found", "sleeps_expected", self.sleeps_);
  belief("all_wakes_found", "all_wakes_expected", self.all_wakes_);
  belief("all_sleeps_found", "all_sleeps_expected", self.all_sleeps_);
  visit("woken", self.woken_), visit("missed", self.missed_), visit("waiting", self.waiting_);
  visit("audits", self.audits_), visit("relevant_audits", self.relevant_audits_);
  visit("caught", self.caught_), visit("watched", self.watched_), visit("usual", self.usual_);
  visit("usual_square", self.usual_square_), visit("lately", self.lately_);
  visit("excess", self.excess_), visit("surprise", self.surprise_);
  visit("alarm_left", self.alarm_left_), visit("alarm_unseen", self.alarm_unseen_);
  visit("alarm_usual", self.alarm_usual_);
}

template <class Self, class Visit>
void RecallControl::each_calibrated(Self& self, Visit visit) {
  visit("score_threshold", self.score_threshold_);
  visit("asked_scores", self.asked_scores_), visit("told_scores", self.told_scores_);
  ScoreCalibration::each_number(self.calibration_, visit);
}

template <class Self, class Visit>
void RecallControl::each_mass(Self& self, Visit visit) {
  visit("woke", self.woke_), visit("below", self.below_), visit("meanwhile", self.meanwhile_);
}

}  // namespace prefrontal::pulse
