#include "csrc/pulse/recall.hpp"

#include <algorithm>
#include <cmath>

namespace prefrontal::pulse {
namespace {

constexpr double kSurplus = 0.2;  // of the misses that the target allows among those decided

// Continued fraction of the incomplete beta function (modified Lentz).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double h = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    h *= d * c;
    if (std::fabs(d * c - 1.0) < 1e-14) break;
  }
  return h;
}

// Cumulative distribution of Beta(a, b) at x.
double beta_share(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double beta_quantile(double a, double b, double share) {
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (beta_share(a, b, middle) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

Interval share_interval(std::size_t hits, std::size_t trials, double confidence) {
  if (trials == 0) return {};
  const double tail = 0.5 * (1.0 - confidence);
  const auto k = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  return {hits == 0 ? 0.0 : beta_quantile(k, n - k + 1.0, tail),
          hits == trials ? 1.0 : beta_quantile(k + 1.0, n - k, 1.0 - tail)};
}

RecallPromise::RecallPromise(double recall, std::size_t memory, double step)
    : recall_(recall), memory_(recall < 1.0 ? std::max(memory, needed()) : memory), step_(step) {}

double RecallPromise::allowance() const {
  return std::clamp(1.0 - recall_ + correction_, 0.0, 1.0);
}

// 1-based place of the threshold among the sorted scores; 0 when none may be missed. The small
// term keeps (n + 1) a from falling under a whole number by rounding.
std::size_t RecallPromise::rank() const {
  const double n = static_cast<double>(sorted_.size());
  const auto k = static_cast<std::size_t>(std::floor((n + 1.0) * allowance() + 1e-9));
  return std::min(k, sorted_.size());
}

std::size_t RecallPromise::needed() const {
  if (recall_ >= 1.0) return static_cast<std::size_t>(-1);
  return static_cast<std::size_t>(std::ceil(1.0 / (1.0 - recall_) - 1e-9)) - 1;
}

void RecallPromise::observe(double score, bool relevant, double threshold) {
  if (!relevant || !std::isfinite(score)) return;
  if (can_promise()) correct(score < threshold);
  recent_.push_back(score);
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), score), score);
  if (recent_.size() > memory_) {
    sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), recent_.front()));
    recent_.pop_front();
  }
  place();
}

void RecallPromise::place() {
  const std::size_t k = rank();
  threshold_ = k == 0 ? 0.0 : sorted_[k - 1];
}

RecallPromise::Memory RecallPromise::memory() const {
  return {{recent_.begin(), recent_.end()}, {decided_.begin(), decided_.end()}, balance_};
}

void RecallPromise::restore(const Memory& memory) {
  recent_.assign(memory.scores.begin(), memory.scores.end());
  sorted_ = memory.scores;
  std::sort(sorted_.begin(), sorted_.end());
  decided_.assign(memory.caught.begin(), memory.caught.end());
  balance_ = memory.balance;
  correction_ = 0.0;
  if (!decided_.empty()) steer();
  place();
}

void RecallPromise::correct(bool missed) {
  const double most = 1.0 - recall_;
  const auto memory = static_cast<double>(memory_);
  decided_.push_back(!missed);
  if (decided_.size() > memory_) decided_.pop_front();
  const auto decided = static_cast<double>(decided_.size());
  // Misses are made up for in full, but what was caught beyond the target buys few of them.
  const double surplus = kSurplus * most * decided;
  balance_ = std::clamp(balance_ + most - (missed ? 1.0 : 0.0), -most * memory, surplus);
  steer();
}

void RecallPromise::steer() {
  const double most = 1.0 - recall_;
  const double gain = step_ * std::sqrt(most) * static_cast<double>(memory_) /
                      std::max(static_cast<double>(needed()), static_cast<double>(decided_.size()));
  correction_ = std::clamp(gain * balance_, -most, most);
}

Interval RecallPromise::interval(double confidence) const {
  const std::size_t n = sorted_.size();
  const std::size_t k = rank();
  if (n == 0) return {};
  if (k == 0) return {1.0, 1.0};
  if (decided_.size() >= needed()) return share_interval(caught(), decided_.size(), confidence);
  const double tail = 0.5 * (1.0 - confidence);
  const auto a = static_cast<double>(n + 1 - k);
  const auto b = static_cast<double>(k);
  return {beta_quantile(a, b, tail), beta_quantile(a, b, 1.0 - tail)};
}

std::size_t RecallPromise::caught() const {
  return static_cast<std::size_t>(std::count(decided_.begin(), decided_.end(), true));
}

}  // namespace prefrontal::pulse
