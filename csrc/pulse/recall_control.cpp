#include "csrc/pulse/recall_control.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "csrc/pulse/gamma_quantile.hpp"
#include "csrc/simd/exp.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::pulse {
namespace {

constexpr double kLowest = -8.0;  // log-odds at which the bins begin
constexpr double kWidth = 0.1;    // of a bin

constexpr double kMostChance = 0.5;  // of an audit

constexpr double kMemory = 200.0;  // relevant windows that the threshold follows from
constexpr double kStep = 0.008;    // as of RecallPromise, where misses are only expected
constexpr double kUnspent = 0.5;   // of the misses that the target allows among those decided
constexpr double kPrior = 2.0;     // labels that the belief in the scorer is worth, at wakes
constexpr double kNear = 0.1;      // wakes count in full for nu up to here or the threshold
constexpr double kWakesRemembered = 100.0;  // expected relevant windows, like the next two
constexpr double kNearRemembered = 30.0;
constexpr double kSleepsRemembered = 40.0;
constexpr double kMostWrong = 50.0;  // phi at most

constexpr double kStale = 1.0;  // log-odds: a score that moved by more tells of no errors
constexpr double kLeastScore = 1e-4;

constexpr double kUsual = 1.0 / 120.0;  // rate at which the usual share of the unseen follows
constexpr double kLately = 1.0 / 10.0;
constexpr double kWatched = 150.0;  // windows asked about before the unseen can raise an alarm
constexpr double kLeastDeviation = 0.12;  // of the unseen share
constexpr double kSlack = 0.8;            // deviations beyond the usual that are no sign of drift
constexpr double kExcess = 4.0;           // deviations that raise an alarm
constexpr double kWorse = 3.0;            // times as many relevant audits as expected,
constexpr double kSurprise = 4.6;         // and how much likelier, ln 100, raises an alarm
constexpr double kAlarmed = 300.0;        // relevant labels that an alarm lasts
constexpr double kAlarmBudget = 4.0;      // times the audits meanwhile
constexpr double kAlarmCenter = 1.75;     // times nu meanwhile
constexpr double kAlarmCaution = 1.0;     // and deviations added to phi
constexpr double kMassKept = 0.3;         // of what the threshold follows from
constexpr double kBeliefKept = 0.2;

double log_odds_of(double share) {
  return simd::natural_log(share) - simd::natural_log(1.0 - share);
}

std::size_t bin_of(double score) {
  if (!(score > 0.0)) return 0;
  if (score >= 1.0) return RecallControl::kBins - 1;
  const double place = std::floor((log_odds_of(score) - kLowest) / kWidth);
  const auto last = static_cast<double>(RecallControl::kBins - 1);
  return static_cast<std::size_t>(std::clamp(place, 0.0, last));
}

double edge_of(std::size_t bin) {
  if (bin == 0) return 0.0;
  if (bin >= RecallControl::kBins) return 1.0;
  return simd::sigmoid_of(static_cast<float>(kLowest + kWidth * static_cast<double>(bin)));
}

bool is_stale(double score, double now) {
  if (now == score) return false;
  const double before = std::clamp(score, kLeastScore, 1.0 - kLeastScore);
  const double after = std::clamp(now, kLeastScore, 1.0 - kLeastScore);
  return std::abs(log_odds_of(after) - log_odds_of(before)) > kStale;
}

double total_of(const RecallControl::Mass& mass) {
  double total = 0.0;
  for (double each : mass) total += each;
  return total;
}

}  // namespace

struct RecallControl::Rules {
  int version;
  bool calibrated;      // whether labels correct the scores
  double top_share;     // of b: the chance of an audit at the threshold
  double least_share;   // and the least
  double sleep_prior;   // labels that the belief in the scorer is worth below the threshold,
  double sleep_center;  // where it begins with so many times nu
  bool moves;           // whether what was asked about moves with the scorer
};

const RecallControl::Rules& RecallControl::rules_of(int version) {
  static constexpr Rules kFirst{1, false, 3.0, 0.125, 8.0, 1.0, false};
  static constexpr Rules kSecond{2, true, 5.0, 0.25, 2.0, 1.5, false};
  static constexpr Rules kThird{3, true, 5.0, 0.25, 2.0, 1.5, true};
  if (version == 1) return kFirst;
  if (version == 2) return kSecond;
  if (version == 3) return kThird;
  throw std::invalid_argument("version must be 1, 2 or 3, got " + std::to_string(version));
}

int RecallControl::version() const { return rules_->version; }

bool RecallControl::moves() const { return rules_->moves && !complete_; }

void RecallControl::Belief::add(double score, bool relevant, double weight, double memory) {
  const double keep = std::max(0.0, 1.0 - weight * score / memory);
  found = keep * found + (relevant ? weight : 0.0);
  expected = keep * expected + weight * score;
}

double RecallControl::Belief::mean(double prior, double center) const {
  return (prior * center + found) / (prior + expected);
}

double RecallControl::Belief::variance(double prior, double center) const {
  return (prior * center * center + found) / ((prior + expected) * (prior + expected));
}

RecallControl::RecallControl(double recall, std::size_t memory, double step, double share,
                             int version)
    : rules_(&rules_of(version)),
      recall_(recall),
      budget_(2.0 * share),
      promise_(recall, memory, step) {}

double RecallControl::chance_of(double score) const {
  return rules_->calibrated ? calibration_.chance_of(score) : score;
}

double RecallControl::audit_chance(double score) const {
  if (complete_ || budget_ <= 0.0 || !std::isfinite(score)) return 0.0;
  return audit_chance_of(chance_of(score));
}

double RecallControl::audit_chance_of(double chance) const {
  if (complete_ || budget_ <= 0.0) return 0.0;
  const double near = std::min(1.0, std::max(chance, 0.0) / std::max(threshold_, 1e-3));
  const double budget = budget_ * (alarm_left_ > 0.0 ? kAlarmBudget : 1.0);
  const double share = std::max(rules_->least_share, rules_->top_share * near * near * near);
  return std::min(kMostChance, budget * share);
}

double RecallControl::share_missed() const {
  const bool alarmed = alarm_left_ > 0.0;
  const double times = std::max(rules_->sleep_center, alarmed ? kAlarmCenter : 1.0);
  const double center = near_.mean(kPrior) * times;
  double share = sleeps_.mean(rules_->sleep_prior, center);
  if (alarmed) share += kAlarmCaution * std::sqrt(sleeps_.variance(rules_->sleep_prior, center));
  return std::min(kMostWrong, share);
}

void RecallControl::slept(double score) {
  if (complete_ || !std::isfinite(score)) return;
  const double chance = chance_of(score);
  meanwhile_[bin_of(chance)] += chance;
}

void RecallControl::trust_scores() {
  score_threshold_ = threshold_;
  asked_scores_ = woken_;
  told_scores_ = all_wakes_.expected;
  calibration_ = {};
}

void RecallControl::set_meanwhile(const Mass& mass) { meanwhile_ = mass; }

void RecallControl::asked(double score, double propensity, double unseen) {
  watch(unseen);
  if (complete_ || !std::isfinite(score)) return;
  settle();
  const bool woke = propensity >= 1.0;
  const double chance = chance_of(score);
  const double expected = (woke ? wakes_.mean(kPrior) : share_missed()) * chance;
  count(expected, (1.0 - recall_) * expected);
  (woke ? woke_ : below_)[bin_of(chance)] += chance;
  if (rules_->moves) {
    pending_.push_back({score, woke, bin_of(chance), chance});
    if (pending_.size() > kMostPending) pending_.pop_front();
  }
  (woke ? asked_scores_ : waiting_) += score;
  if (woke) woken_ += chance;
  move();
}

// What slept enters the account.
void RecallControl::settle() {
  const double mass = total_of(meanwhile_);
  if (mass <= 0.0) return;
  const double expected = share_missed() * mass;
  count(expected, -recall_ * expected);
  for (std::size_t i = 0; i < kBins; ++i) below_[i] += meanwhile_[i];
  missed_ += mass;
  meanwhile_.fill(0.0);
}

void RecallControl::count(double expected, double balance) {
  fade(std::max(0.0, 1.0 - expected / kMemory));
  if (known_ < static_cast<double>(needed())) return;
  const double most = 1.0 - recall_;
  decided_ = std::min(kMemory, decided_ + expected);
  balance_ = std::clamp(balance_ + balance, -most * kMemory, kUnspent * most * decided_);
}

void RecallControl::fade(double keep) {
  for (double& each : woke_) each *= keep;
  for (double& each : below_) each *= keep;
  for (Pending& each : pending_) each.mass *= keep;
}

// What a window brought when it was asked about goes, and what it would bring now comes.
void RecallControl::move_mass(double score, double now) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Pending& each) { return each.score == score; });
  if (found == pending_.end()) return;
  if (now != score) {
    Mass& mass = found->woke ? woke_ : below_;
    mass[found->bin] = std::max(0.0, mass[found->bin] - found->mass);
    const double chance = chance_of(now);
    mass[bin_of(chance)] += chance;
  }
  pending_.erase(found);
}

void RecallControl::set_pending(std::deque<Pending> pending) {
  for (const Pending& each : pending)
    if (each.bin >= kBins)
      throw std::invalid_argument("bin must be below " + std::to_string(kBins) + ", got " +
                                  std::to_string(each.bin));
  pending_ = std::move(pending);
}

void RecallControl::labelled(double score, bool relevant, double threshold,
                             std::optional<double> propensity, double now) {
  if (!std::isfinite(score)) return;
  if (relevant) {
    known_ += 1.0;
    alarm_left_ = std::max(0.0, alarm_left_ - 1.0);
    if (!propensity && score >= threshold) caught_ += 1.0;
  }
  if (!propensity) {
    complete_ = true;
    promise_.observe(score, relevant, threshold);
    return;
  }
  if (complete_) return;
  const double chance = chance_of(score);
  if (!rules_->moves || !std::isfinite(now)) now = score;
  move_mass(score, now);
  if (score < threshold) {
    weigh(chance, relevant);
    sleeps_.add(chance, relevant, 1.0, kSleepsRemembered);
    all_sleeps_.add(chance, relevant, 1.0, HUGE_VAL);
    waiting_ -= score;
    audits_ += 1.0;
    relevant_audits_ += relevant ? 1.0 : 0.0;
  } else {
    const double near = std::max(threshold_, kNear);
    wakes_.add(chance, relevant, 1.0, kWakesRemembered);
    all_wakes_.add(chance, relevant, 1.0, HUGE_VAL);
    near_.add(chance, relevant, chance > near ? near / chance : 1.0, kNearRemembered);
    told_scores_ += score;
  }
  if (rules_->calibrated && !is_stale(score, now)) calibration_.learn(score, relevant);
  move();
}

void RecallControl::move() {
  if (known_ < static_cast<double>(needed())) return;
  const double most = 1.0 - recall_;
  const double wake = wakes_.mean(kPrior);
  const double sleep = share_missed();
  double total = 0.0;
  for (std::size_t i = 0; i < kBins; ++i) total += wake * woke_[i] + sleep * below_[i];
  const double gain =
      kStep * std::sqrt(most) * kMemory / std::max(static_cast<double>(needed()), decided_);
  const double share = std::clamp(most + std::clamp(gain * balance_, -most, most), 0.0, 1.0);
  const double allowed = share * total;
  std::array<double, kBins> missed;  // at the audits of now
  for (std::size_t i = 0; i < kBins; ++i)
    missed[i] = (1.0 - audit_chance_of(edge_of(i))) * (wake * woke_[i] + sleep * below_[i]);
  if (allowed <= 0.0) return set_threshold(0.0);
  // All of it, whatever the order of the sums rounds to.
  if (allowed >= total * (1.0 - 1e-9)) return set_threshold(1.0);
  double passed = 0.0;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (passed + missed[i] > allowed) {
      const double low = edge_of(i);
      return set_threshold(low + (allowed - passed) / missed[i] * (edge_of(i + 1) - low));
    }
    passed += missed[i];
  }
  set_threshold(1.0);
}

void RecallControl::set_threshold(double chance) {
  threshold_ = chance;
  score_threshold_ = rules_->calibrated ? calibration_.score_of(chance) : chance;
}

// Sums, in deviations, how much more is unseen than usual, less a slack (CUSUM; Page, 1954).
void RecallControl::watch(double unseen) {
  watched_ += 1.0;
  lately_ += kLately * (unseen - lately_);
  if (watched_ > kWatched) {
    const double variance = std::max(0.0, usual_square_ - usual_ * usual_);
    const double deviation = std::max(kLeastDeviation, std::sqrt(variance));
    const double beyond = std::min(unseen - usual_, 3.0 * deviation) / deviation;
    excess_ = std::max(0.0, excess_ + beyond - kSlack);
    if (excess_ > kExcess) raise(lately_);
  }
  const double rate = std::max(kUsual, 1.0 / watched_);
  usual_ += rate * (unseen - usual_);
  usual_square_ += rate * (unseen * unseen - usual_square_);
}

// Sums how much likelier the audits' labels are when three times as much is missed.
void RecallControl::weigh(double score, bool relevant) {
  const double expected = score * sleeps_.mean(rules_->sleep_prior, near_.mean(kPrior));
  const double gain = relevant ? simd::natural_log(kWorse) : 0.0;
  surprise_ = std::max(0.0, surprise_ + gain - (kWorse - 1.0) * expected);
  if (surprise_ > kSurprise) raise(0.0);
}

// What comes is not what was: most of what was learned about it fades.
void RecallControl::raise(double unseen) {
  excess_ = surprise_ = 0.0;
  watched_ = 50.0;
  alarm_left_ = kAlarmed;
  alarm_unseen_ = unseen;
  alarm_usual_ = usual_;
  fade(kMassKept);
  for (Belief* each : {&wakes_, &near_, &sleeps_}) each->fade(kBeliefKept);
  decided_ *= kMassKept;
  balance_ = std::min(balance_, 0.0);
}

std::optional<RecallControl::Alarm> RecallControl::alarm() const {
  if (alarm_left_ <= 0.0) return std::nullopt;
  return Alarm{alarm_left_, alarm_unseen_, alarm_usual_};
}

// Of wakes. A label finds the chance of its window moved by those before it, so the share that has
// none is told by scores.
double RecallControl::expected_unlabelled() const {
  if (!rules_->calibrated) return std::max(0.0, woken_ - all_wakes_.expected);
  if (asked_scores_ <= 0.0) return 0.0;
  return woken_ * std::max(0.0, 1.0 - told_scores_ / asked_scores_);
}

// Caught is known as far as it was labelled, the rest and what was missed as the beliefs say; the
// odds of missed to caught count as a gamma variable.
std::optional<RecallFigures> RecallControl::figures(double confidence) const {
  if (known_ <= 0.0) return std::nullopt;
  if (complete_) {
    const auto hits = static_cast<std::size_t>(caught_);
    const auto trials = static_cast<std::size_t>(known_);
    return RecallFigures{caught_ / known_, share_interval(hits, trials, confidence), audits_};
  }
  const double mass = missed_ + total_of(meanwhile_);
  const double center = near_.mean(kPrior) * rules_->sleep_center;
  const double sleep = all_sleeps_.mean(rules_->sleep_prior, center);
  const double wake = all_wakes_.mean(kPrior);
  const double unlabelled = expected_unlabelled();
  const double known = all_wakes_.found + relevant_audits_;
  const double caught = known + wake * unlabelled + sleep * std::max(0.0, waiting_);
  const double missed = sleep * mass;
  RecallFigures out{caught / (caught + missed), {1.0, 1.0}, audits_};
  if (missed <= 0.0 || caught <= 0.0) return out;
  const double missed_spread =
      missed + mass * mass * all_sleeps_.variance(rules_->sleep_prior, center);
  const double caught_spread =
      wake * unlabelled + unlabelled * unlabelled * all_wakes_.variance(kPrior);
  const double odds = missed / caught;
  const double spread =
      odds * odds * (missed_spread / (missed * missed) + caught_spread / (caught * caught));
  const double tail = 0.5 * (1.0 - confidence);
  out.interval = {1.0 / (1.0 + gamma_quantile(odds, spread, 1.0 - tail)),
                  1.0 / (1.0 + gamma_quantile(odds, spread, tail))};
  return out;
}

}  // namespace prefrontal::pulse
