// LstmScorer's modules: how they come, start from their seed and go, and their weights as a list.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/key.hpp"
#include "csrc/pulse/lstm_scorer.hpp"

namespace prefrontal::pulse {
namespace {

using simd::kCells;
using simd::kColumns;
using simd::kGates;
using simd::kInputs;

std::uint64_t mixed(std::uint64_t state) {  // the finish of SplitMix64 (Steele and others, 2014)
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31U);
}

// The n-th number of a stream in [-1/8, 1/8), exact in 24 bits; it depends on nothing before it.
float drawn(std::uint64_t stream, std::uint64_t n) {
  const std::uint64_t bits = mixed(stream + (n + 1) * 0x9E3779B97F4A7C15ULL) >> 40U;
  return (static_cast<float>(bits) / 8388608.0F - 1.0F) / 8.0F;
}

// Calls visit(number) for every weight of a network, in torch's order.
template <class Net, class Visit>
void for_each_weight(Net& net, Visit&& visit) {
  const auto rows = [&](int from, int to) {
    for (int row = 0; row < kGates * kCells; ++row) {
      for (int column = from; column < to; ++column)
        visit(net.columns[row / kCells][column][row % kCells]);
    }
  };
  rows(0, kInputs);
  rows(kInputs, kColumns);
  for (auto& gate : net.input_bias) std::for_each(gate, gate + kCells, visit);
  for (auto& gate : net.hidden_bias) std::for_each(gate, gate + kCells, visit);
  std::for_each(net.head, net.head + kCells, visit);
  visit(net.head_bias);
}

}  // namespace

Weights flat(const simd::Lstm& net) {
  Weights weights;
  weights.reserve(kWeights);
  for_each_weight(net, [&](float weight) { weights.push_back(weight); });
  return weights;
}

void spread(std::span<const float> weights, simd::Lstm& net) {
  const float* from = weights.data();
  for_each_weight(net, [&](float& weight) { weight = *from++; });
}

void LstmScorer::add(const std::string& name, const std::string& digest,
                     std::span<const float> mask) {
  const std::uint64_t stream = mixed(hash_bytes(name) ^ mixed(seed_));
  Modules fresh;
  Module& module = fresh[name];
  module.digest = digest;
  module.net = std::make_unique<simd::Lstm>();
  std::uint64_t n = 0;
  for_each_weight(*module.net, [&](float& weight) { weight = drawn(stream, n++); });
  for (auto& gate : module.net->columns) {
    for (int slot = 0; slot < kInputs; ++slot) {
      for (float& weight : gate[slot]) weight *= 0.1F + 1.9F * mask[static_cast<std::size_t>(slot)];
    }
  }
  std::unique_lock lock(mutex_);
  put_in_place_of_old(fresh, names_with(fresh));
}

void LstmScorer::put_in_place_of_old(Modules& fresh, Names names) noexcept {
  for (const auto& [name, module] : fresh) modules_.erase(name);
  modules_.merge(fresh);
  names_ = std::move(names);
}

bool LstmScorer::remove(const std::string& name) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  names_ = names_with({}, &found->second);
  modules_.erase(found);
  return true;
}

LstmScorer::Names LstmScorer::names_with(const Modules& fresh, const Module* without) const {
  auto names = std::make_shared<std::vector<std::string>>();
  for (const auto& [name, module] : modules_)
    if (&module != without && !fresh.contains(name)) names->push_back(name);
  for (const auto& [name, module] : fresh) names->push_back(name);
  std::ranges::sort(*names);
  return names;
}

std::vector<std::string> LstmScorer::modules() const {
  std::shared_lock lock(mutex_);
  return *names_;
}

std::size_t LstmScorer::features(const std::string& name) const {
  std::shared_lock lock(mutex_);
  return modules_.contains(name) ? kWeights : 0;
}

std::optional<Weights> LstmScorer::weights(const std::string& name) const {
  std::shared_lock lock(mutex_);
  const Module* module = find(name);
  return module == nullptr ? std::nullopt : std::optional(flat(*module->net));
}

bool LstmScorer::set_weights(const std::string& name, std::span<const float> weights) {
  std::unique_lock lock(mutex_);
  Module* module = find(name);
  if (module == nullptr) return false;
  spread(weights, *module->net);
  module->moments.reset();
  module->labels = 0;
  module->stream.reset();
  return true;
}

}  // namespace prefrontal::pulse
