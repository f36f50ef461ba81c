#include "csrc/pulse/linear_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "csrc/simd/dispatch.hpp"
#include "csrc/simd/exp.hpp"

namespace prefrontal::pulse {
LinearScorer::Logits LinearScorer::logits(Slot slot, const Keys& keys) const {
  Logits total{bias_[slot].slow, bias_[slot].fast, bias_[slot].steady};
  for (const Key& key : keys) {
    if (const Row* row = table_.find(key.value)) {
      const Cell cell = row->find(slot);
      total.slow += cell.slow;
      total.fast += cell.fast;
      total.steady += cell.steady;
    }
  }
  return total;
}

float LinearScorer::score(const std::string& module, const Keys& keys) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end() || keys.empty()) return 0.0F;
  const Slot slot = found->second.slot;
  return simd::sigmoid_of(mix_[slot].of(logits(slot, keys)));
}

LinearScorer::Scores LinearScorer::score_all(const Keys& keys) const {
  std::shared_lock lock(mutex_);
  Scores scores{names_, std::vector<float>(order_.size(), 0.0F)};
  if (keys.empty()) return scores;
  const std::size_t slots = bias_.size();
  Sums sums{std::vector<float>(slots), std::vector<float>(slots), std::vector<float>(slots)};
  for (std::size_t slot = 0; slot < slots; ++slot) {
    sums.slow[slot] = bias_[slot].slow;
    sums.fast[slot] = bias_[slot].fast;
    sums.steady[slot] = bias_[slot].steady;
  }
  for (const Key& key : keys) {
    if (const Row* row = table_.find(key.value)) row->add_to(sums);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Slot slot = order_[i];
    scores.values[i] = mix_[slot].of({sums.slow[slot], sums.fast[slot], sums.steady[slot]});
  }
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
      names->push_back(name);
      scores.values.push_back(simd::sigmoid_of(mix_[slot].of(logits(slot, keys))));
    }
  }
  scores.modules = std::move(names);
  return scores;
}

std::vector<Contribution> LinearScorer::contributions(
    const std::string& module, const std::vector<NamedFeature>& features) const {
  std::shared_lock lock(mutex_);
  std::vector<Contribution> found;
  const auto at = modules_.find(module);
  if (at == modules_.end() || features.empty()) return found;
  const Slot slot = at->second.slot;
  const Mix& mix = mix_[slot];
  const auto weight_of = [&](const Cell& c) { return mix.of({c.slow, c.fast, c.steady}); };
  found.push_back({"bias", weight_of(bias_[slot])});
  for (const NamedFeature& feature : features) {
    const Row* row = table_.find(feature.key);
    const Cell cell = row == nullptr ? Cell{} : row->find(slot);
    const float weight = weight_of(cell);
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
  const auto unknown = std::ranges::count_if(keys, [&](const Key& key) {
    const Row* row = table_.find(key.value);
    return row == nullptr || row->find(slot).energy == 0.0F;
  });
  return static_cast<double>(unknown) / static_cast<double>(keys.size());
}

}  // namespace prefrontal::pulse
