// LinearScorer's steps: how one label moves the weights of its window, and what is forgotten.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/simd/exp.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::pulse {
namespace {

constexpr float kEta = 0.3F;         // how sharply the mix follows the lead
constexpr float kDiscount = 0.995F;  // of the lead, a label
constexpr float kPairEta = 0.6F;
constexpr float kPairOdds = -1.0F;  // log-odds of the pair before any label
constexpr int kNewtonSteps = 6;
constexpr std::size_t kMostFeatures = 1U << 17U;  // of one module; then the weakest half goes

// What is left of the error after an implicit step: label - p' where p' = sigmoid(logit'),
// logit' = logit + reach (label - p').
float error_left(float logit, float reach, float label) {
  float after = logit;
  for (int step = 0; step < kNewtonSteps; ++step) {
    const float p = simd::sigmoid_of(after);
    after -= (after - logit - reach * (label - p)) / (1.0F + reach * p * (1.0F - p));
  }
  return label - simd::sigmoid_of(after);
}

float size_of(const Cell& cell) { return std::fabs(cell.slow) + std::fabs(cell.fast); }

float log_loss(float logit, float label) {
  const double yes = simd::natural_log(static_cast<double>(simd::sigmoid_of(logit)));
  const double no = simd::natural_log(static_cast<double>(simd::sigmoid_of(-logit)));
  return static_cast<float>(-(label * yes + (1.0 - label) * no));
}

}  // namespace

bool LinearScorer::learn(const std::string& name, const Keys& keys, float label) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end() || keys.empty()) return false;
  Module& module = found->second;
  const Slot slot = module.slot;
  const Logits before = logits(slot, keys);
  const float error = label - simd::sigmoid_of(before.slow);
  const float energy = error * error;
  std::vector<Cell> cells(keys.size() + 1);
  std::vector<std::size_t> rows(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    rows[i] = table_.index_of(keys[i].value);
    table_.row(rows[i]).reserve(slot, bias_.size());
    cells[i] = table_.row(rows[i]).find(slot);
    if (cells[i].energy == 0.0F) cells[i].energy = kFirstEnergy;
  }
  cells.back() = bias_[slot];

  // The steps of a unit of error; their sum, the reach, is how far it moves the logit.
  std::vector<Logits> steps(cells.size());
  std::vector<float> sizes;
  if (module.features + keys.size() > kMostFeatures) sizes.reserve(module.features + keys.size());
  // From here on nothing fails.
  Logits reach;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].energy += energy;
    const KindRate& rate = rates_.of(i < keys.size() ? keys[i].kind : Kind::bias);
    const float share = rate.share(cells[i].energy);
    steps[i] = {rates_.slow * rate.slow * share / std::sqrt(cells[i].energy), rate.fast * share,
                rate.variance * share / (1.0F + rate.variance * cells[i].energy)};
    reach.slow += steps[i].slow;
    reach.fast += steps[i].fast;
    reach.steady += steps[i].steady;
  }
  reach.fast *= rates_.fast;
  const Logits part{rates_.part(reach.slow), rates_.part(reach.fast), rates_.part(reach.steady)};
  const float slow = part.slow * error_left(before.slow, part.slow * reach.slow, label);
  const float fast = part.fast * error_left(before.fast, part.fast * reach.fast, label);
  const float steady = part.steady * error_left(before.steady, part.steady * reach.steady, label);

  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].slow += steps[i].slow * slow;
    cells[i].fast += rates_.fast * steps[i].fast * fast;
    cells[i].steady += steps[i].steady * steady;
  }
  judge(module, before, label);
  bias_[slot] = cells.back();
  for (std::size_t i = 0; i < keys.size(); ++i) put(module, table_.row(rows[i]), cells[i]);
  if (module.features > kMostFeatures) forget_weakest(module, sizes);
  return true;
}

// Which learner predicted the label better, and so leads from now on.
void LinearScorer::judge(const Module& module, const Logits& predicted, float label) {
  const float slow = log_loss(predicted.fast, label) - log_loss(predicted.slow, label);
  const float both = mix_[module.slot].pair_of(predicted);
  const float pair = log_loss(predicted.steady, label) - log_loss(both, label);
  const Lead& lead = lead_[module.slot];
  set_lead(module, {lead.slow * kDiscount + slow, lead.pair * kDiscount + pair});
}

LinearScorer::Mix LinearScorer::mix_of(const Lead& lead, bool steady) {
  const float pair = steady ? simd::sigmoid_of(kPairEta * lead.pair + kPairOdds) : 1.0F;
  return {simd::sigmoid_of(kEta * lead.slow), pair};
}

void LinearScorer::set_lead(const Module& module, const Lead& lead) {
  lead_[module.slot] = lead;
  mix_[module.slot] = mix_of(lead, rates_.steady && module.steady);
}

// sizes: memory for all of them.
void LinearScorer::forget_weakest(Module& module, std::vector<float>& sizes) noexcept {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const Cell cell = table_.row(i).find(module.slot);
    if (cell.energy != 0.0F) sizes.push_back(size_of(cell));
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const float most = *middle;
  auto ties = std::count(sizes.begin(), middle, most);  // as weak as those that stay
  for (std::size_t i = 0; i < table_.size(); ++i) {
    Row& row = table_.row(i);
    const Cell cell = row.find(module.slot);
    const float size = size_of(cell);
    if (cell.energy == 0.0F || size > most || (size == most && ties-- <= 0)) continue;
    row.erase(module.slot);
    --module.features;
  }
  table_.tidy();
}

}  // namespace prefrontal::pulse
