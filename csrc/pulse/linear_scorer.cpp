#include "csrc/pulse/linear_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "csrc/simd/dispatch.hpp"
#include "csrc/simd/exp.hpp"

namespace prefrontal::pulse {
namespace {

constexpr float kLearningRate = 0.2F;
constexpr float kFirstEnergy = 0.1F;  // of a feature met while learning
constexpr float kSeedEnergy = 1.0F;   // of a feature the fingerprint speaks of: slower to move
constexpr int kNewtonSteps = 6;
constexpr std::size_t kMostFeatures = 1U << 17U;  // of one module; then the weakest half goes

}  // namespace

float LinearScorer::sum(Slot slot, const Keys& keys) const {
  float total = bias_[slot].weight;
  for (std::uint64_t key : keys) {
    if (const Row* row = table_.find(key)) total += row->find(slot).weight;
  }
  return total;
}

float LinearScorer::score(const std::string& module, const Keys& keys) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end() || keys.empty()) return 0.0F;
  return simd::sigmoid_of(sum(found->second.slot, keys));
}

LinearScorer::Scores LinearScorer::score_all(const Keys& keys) const {
  std::shared_lock lock(mutex_);
  Scores scores{names_, std::vector<float>(order_.size(), 0.0F)};
  if (keys.empty()) return scores;
  std::vector<float> sums(bias_.size());
  for (std::size_t slot = 0; slot < sums.size(); ++slot) sums[slot] = bias_[slot].weight;
  for (std::uint64_t key : keys) {
    if (const Row* row = table_.find(key)) row->add_to(sums.data(), sums.size());
  }
  simd::kernels().sigmoid(sums.data(), sums.data(), static_cast<int>(sums.size()));
  for (std::size_t i = 0; i < order_.size(); ++i) scores.values[i] = sums[order_[i]];
  return scores;
}

bool LinearScorer::learn(const std::string& name, const Keys& keys, float label) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end() || keys.empty()) return false;
  Module& module = found->second;
  const float before = sum(module.slot, keys);
  const float error = label - simd::sigmoid_of(before);
  const float energy = error * error;

  // How far the sum moves for each unit of error that is left after the step.
  std::vector<Cell> cells(keys.size());
  Cell bias = bias_[module.slot];
  float reach = kLearningRate / std::sqrt(bias.energy + energy);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Row* row = table_.find(keys[i]);
    if (row != nullptr) cells[i] = row->find(module.slot);
    if (cells[i].energy == 0.0F) cells[i].energy = kFirstEnergy;
    reach += kLearningRate / std::sqrt(cells[i].energy + energy);
  }
  float after = before;
  for (int step = 0; step < kNewtonSteps; ++step) {
    const float p = simd::sigmoid_of(after);
    after -= (after - before - reach * (label - p)) / (1.0F + reach * p * (1.0F - p));
  }
  const float left = label - simd::sigmoid_of(after);

  auto move = [&](Cell& cell) {
    cell.weight += kLearningRate * left / std::sqrt(cell.energy + energy);
    cell.energy += energy;
  };
  move(bias);
  bias_[module.slot] = bias;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    move(cells[i]);
    put(module, keys[i], cells[i]);
  }
  if (module.features > kMostFeatures) forget_weakest(module);
  return true;
}

std::vector<Contribution> LinearScorer::contributions(
    const std::string& module, const std::vector<NamedFeature>& features) const {
  std::shared_lock lock(mutex_);
  std::vector<Contribution> found;
  const auto at = modules_.find(module);
  if (at == modules_.end() || features.empty()) return found;
  const Slot slot = at->second.slot;
  found.push_back({"bias", bias_[slot].weight});
  for (const NamedFeature& feature : features) {
    const Row* row = table_.find(feature.key);
    const float weight = row == nullptr ? 0.0F : row->find(slot).weight;
    if (weight != 0.0F) found.push_back({feature.name, weight});
  }
  std::sort(found.begin(), found.end(), [](const Contribution& a, const Contribution& b) {
    const float left = std::fabs(a.weight);
    const float right = std::fabs(b.weight);
    return left != right ? left > right : a.name < b.name;
  });
  return found;
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
    if (cell.energy != 0.0F) sizes.push_back(std::fabs(cell.weight));
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const float most = *middle;
  auto ties = std::count(sizes.begin(), middle, most);  // as weak as those that stay
  for (std::size_t i = 0; i < table_.size(); ++i) {
    Row& row = table_.row(i);
    const Cell cell = row.find(module.slot);
    const float size = std::fabs(cell.weight);
    if (cell.energy == 0.0F || size > most || (size == most && ties-- <= 0)) continue;
    row.erase(module.slot);
    --module.features;
  }
  table_.drop_empty_rows();
}

void LinearScorer::add(const std::string& name, const std::string& digest, float bias,
                       std::span<const Seed> seeds) {
  std::unique_lock lock(mutex_);
  place(name, digest, {bias, kSeedEnergy});
  sow(modules_.find(name)->second, seeds);
}

// A module without weights under this name; the caller holds the lock.
void LinearScorer::place(const std::string& name, const std::string& digest, Cell bias) {
  const auto found = modules_.find(name);
  Slot slot = 0;
  if (found != modules_.end()) {
    slot = found->second.slot;
    clear(slot);
  } else {
    slot = free_slot();
  }
  used_[slot] = true;
  bias_[slot] = bias;
  modules_.insert_or_assign(name, Module{slot, digest, 0});
  index_names();
}

void LinearScorer::index_names() {
  auto names = std::make_shared<std::vector<std::string>>();
  order_.clear();
  for (const auto& [name, module] : modules_) {
    names->push_back(name);
    order_.push_back(module.slot);
  }
  names_ = std::move(names);
}

bool LinearScorer::seed(const std::string& name, std::span<const Seed> seeds) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  sow(found->second, seeds);
  return true;
}

// What the module already knows about a feature stays.
void LinearScorer::sow(Module& module, std::span<const Seed> seeds) {
  for (const Seed& s : seeds) {
    const Row* row = table_.find(s.key);
    if (row == nullptr || row->find(module.slot).energy == 0.0F)
      put(module, s.key, {s.weight, kSeedEnergy});
  }
}

bool LinearScorer::remove(const std::string& name) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  clear(found->second.slot);
  used_[found->second.slot] = false;
  modules_.erase(found);
  index_names();
  return true;
}

void LinearScorer::clear(Slot slot) {
  bool emptied = false;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    table_.row(i).erase(slot);
    emptied = emptied || table_.row(i).size() == 0;
  }
  if (emptied) table_.drop_empty_rows();
  bias_[slot] = {};
}

Slot LinearScorer::free_slot() {
  const auto free = std::find(used_.begin(), used_.end(), false);
  if (free != used_.end()) return static_cast<Slot>(free - used_.begin());
  used_.push_back(false);
  bias_.emplace_back();
  return static_cast<Slot>(used_.size() - 1);
}

std::vector<std::string> LinearScorer::modules() const {
  std::shared_lock lock(mutex_);
  return *names_;
}

std::size_t LinearScorer::features(const std::string& module) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  return found == modules_.end() ? 0 : found->second.features;
}

}  // namespace prefrontal::pulse
