#include "csrc/pulse/linear_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "csrc/simd/dispatch.hpp"
#include "csrc/simd/exp.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::pulse {
namespace {

constexpr float kSlowRate = 0.2F;
constexpr float kFastRate = 0.1F;
constexpr float kEta = 0.3F;          // how sharply the mix follows the lead
constexpr float kDiscount = 0.995F;   // of the lead, a label
constexpr float kFirstEnergy = 0.1F;  // of a feature met while learning
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

LinearScorer::Logits LinearScorer::logits(Slot slot, const Keys& keys) const {
  Logits total{bias_[slot].slow, bias_[slot].fast};
  for (std::uint64_t key : keys) {
    if (const Row* row = table_.find(key)) {
      const Cell cell = row->find(slot);
      total.slow += cell.slow;
      total.fast += cell.fast;
    }
  }
  return total;
}

float LinearScorer::score(const std::string& module, const Keys& keys) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end() || keys.empty()) return 0.0F;
  const Slot slot = found->second.slot;
  const Logits predicted = logits(slot, keys);
  return simd::sigmoid_of(mixed(slot, predicted.slow, predicted.fast));
}

LinearScorer::Scores LinearScorer::score_all(const Keys& keys) const {
  std::shared_lock lock(mutex_);
  Scores scores{names_, std::vector<float>(order_.size(), 0.0F)};
  if (keys.empty()) return scores;
  const std::size_t slots = bias_.size();
  Sums sums{std::vector<float>(slots), std::vector<float>(slots)};
  for (std::size_t slot = 0; slot < slots; ++slot) {
    sums.slow[slot] = bias_[slot].slow;
    sums.fast[slot] = bias_[slot].fast;
  }
  for (std::uint64_t key : keys) {
    if (const Row* row = table_.find(key)) row->add_to(sums);
  }
  for (std::size_t i = 0; i < order_.size(); ++i)
    scores.values[i] = mixed(order_[i], sums.slow[order_[i]], sums.fast[order_[i]]);
  simd::kernels().sigmoid(scores.values.data(), scores.values.data(),
                          static_cast<int>(scores.values.size()));
  return scores;
}

// Sorted names against sorted names: a few are looked up, many are cheaper to sum with all others.
LinearScorer::Scores LinearScorer::score_some(std::span<const std::string> asked,
                                              const Keys& keys) const {
  constexpr std::size_t kFew = 8;
  std::size_t known = 0;
  {
    std::shared_lock lock(mutex_);
    known = names_->size();
  }
  Scores scores;
  auto names = std::make_shared<std::vector<std::string>>();
  if (asked.size() * kFew > known) {
    const Scores all = score_all(keys);
    if (std::ranges::equal(*all.modules, asked)) return all;
    std::size_t at = 0;
    for (const std::string& name : asked) {
      while (at < all.modules->size() && (*all.modules)[at] < name) ++at;
      if (at == all.modules->size() || (*all.modules)[at] != name) continue;
      names->push_back(name);
      scores.values.push_back(all.values[at]);
    }
  } else {
    std::shared_lock lock(mutex_);
    for (const std::string& name : asked) {
      const auto found = modules_.find(name);
      if (found == modules_.end()) continue;
      const Slot slot = found->second.slot;
      const Logits predicted = logits(slot, keys);
      names->push_back(name);
      scores.values.push_back(simd::sigmoid_of(mixed(slot, predicted.slow, predicted.fast)));
    }
  }
  scores.modules = std::move(names);
  return scores;
}

bool LinearScorer::learn(const std::string& name, const Keys& keys, float label) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end() || keys.empty()) return false;
  Module& module = found->second;
  const Slot slot = module.slot;
  const Logits before = logits(slot, keys);
  judge(slot, before, label);

  // The steps of the slow learner; their sum is how far a unit of error moves its logit.
  const float error = label - simd::sigmoid_of(before.slow);
  const float energy = error * error;
  std::vector<Cell> cells(keys.size() + 1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Row* row = table_.find(keys[i]);
    if (row != nullptr) cells[i] = row->find(slot);
    if (cells[i].energy == 0.0F) cells[i].energy = kFirstEnergy;
  }
  cells.back() = bias_[slot];
  float reach = 0.0F;
  for (const Cell& cell : cells) reach += kSlowRate / std::sqrt(cell.energy + energy);
  const float slow = error_left(before.slow, reach, label);
  const float fast = error_left(before.fast, kFastRate * static_cast<float>(cells.size()), label);

  for (Cell& cell : cells) {
    cell.energy += energy;
    cell.slow += kSlowRate / std::sqrt(cell.energy) * slow;
    cell.fast += kFastRate * fast;
  }
  bias_[slot] = cells.back();
  for (std::size_t i = 0; i < keys.size(); ++i) put(module, keys[i], cells[i]);
  if (module.features > kMostFeatures) forget_weakest(module);
  return true;
}

// Which learner predicted the label better, and so leads from now on.
void LinearScorer::judge(Slot slot, const Logits& predicted, float label) {
  const float lead = log_loss(predicted.fast, label) - log_loss(predicted.slow, label);
  set_lead(slot, lead_[slot] * kDiscount + lead);
}

void LinearScorer::set_lead(Slot slot, float lead) {
  lead_[slot] = lead;
  mix_[slot] = simd::sigmoid_of(kEta * lead);
}

std::vector<Contribution> LinearScorer::contributions(
    const std::string& module, const std::vector<NamedFeature>& features) const {
  std::shared_lock lock(mutex_);
  std::vector<Contribution> found;
  const auto at = modules_.find(module);
  if (at == modules_.end() || features.empty()) return found;
  const Slot slot = at->second.slot;
  found.push_back({"bias", mixed(slot, bias_[slot].slow, bias_[slot].fast)});
  for (const NamedFeature& feature : features) {
    const Row* row = table_.find(feature.key);
    const Cell cell = row == nullptr ? Cell{} : row->find(slot);
    const float weight = mixed(slot, cell.slow, cell.fast);
    if (weight != 0.0F) found.push_back({feature.name, weight});
  }
  std::sort(found.begin(), found.end(), [](const Contribution& a, const Contribution& b) {
    const float left = std::fabs(a.weight);
    const float right = std::fabs(b.weight);
    return left != right ? left > right : a.name < b.name;
  });
  return found;
}

double LinearScorer::unseen(const std::string& module, const Keys& keys) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end() || keys.empty()) return 0.0;
  const Slot slot = found->second.slot;
  const auto unknown = std::ranges::count_if(keys, [&](std::uint64_t key) {
    const Row* row = table_.find(key);
    return row == nullptr || row->find(slot).energy == 0.0F;
  });
  return static_cast<double>(unknown) / static_cast<double>(keys.size());
}

void LinearScorer::put(Module& module, std::uint64_t key, Cell cell) {
  Row& row = table_.at(key);
  const std::size_t before = row.size();
  row.put(module.slot, cell, bias_.size());
  module.features += row.size() - before;
}

void LinearScorer::forget_weakest(Module& module) {
  std::vector<float> sizes;
  sizes.reserve(module.features);
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
  table_.drop_empty_rows();
}

}  // namespace prefrontal::pulse
