// Relevance of a window for each module by an LSTM of its own, learned online from labels.
//
//   p = sigmoid(logit of the last event), from a zero state before the first
//
// 16 inputs, 64 cells, 21,057 weights a module, drawn from (-1/8, 1/8) by the seed and the module's
// name; the weights of slot i are scaled by 0.1 + 1.9 mask[i]. A label is one step of Adam (lr
// 1e-3) down the cross-entropy through the whole window. The same bits on every processor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/pulse/event.hpp"
#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/simd/lstm.hpp"

namespace prefrontal::pulse {

// What the network reads of a window, 16 numbers an event: its feature vector, with the minutes of
// slot 7 as ln(1+minutes)/ln(1+1440), everything within -1000..1000 and NaN as 0.
using Inputs = std::vector<float>;
Inputs lstm_inputs(const Window& window);

// All weights of one network in torch's order and layout: weight_ih_l0 (256 x 16), weight_hh_l0
// (256 x 64), bias_ih_l0, bias_hh_l0 (256), head.weight (64), head.bias (1).
using Weights = std::vector<float>;
inline constexpr std::size_t kWeights = 21057;
Weights flat(const simd::Lstm& net);
void spread(std::span<const float> weights, simd::Lstm& net);

// Safe to use from several threads: many may score while none learns, one learns at a time. What
// throws changes nothing.
class LstmScorer {
 public:
  explicit LstmScorer(std::uint64_t seed) : seed_(seed) {}

  // Replaces a module of the same name. `digest` tells fingerprints apart across a save.
  void add(const std::string& module, const std::string& digest, std::span<const float> mask);
  bool remove(const std::string& module);    // false when there was none
  std::vector<std::string> modules() const;  // sorted by name

  // 0 for an unknown module or an empty window.
  float score(const std::string& module, const Inputs& inputs) const;
  using Scores = LinearScorer::Scores;
  Scores score_all(const Inputs& inputs) const;
  // Of these modules alone; the unknown among them are left out.
  Scores score_some(std::span<const std::string> modules, const Inputs& inputs) const;

  // The score after all events that this function was ever given for the module: its state is kept
  // from call to call. 0 for an unknown module.
  float score_stream(const std::string& module, const Inputs& inputs);
  void forget_stream(const std::string& module);

  // Moves the module towards `label` in [0, 1]; false for an unknown module or an empty window.
  bool learn(const std::string& module, const Inputs& inputs, float label);

  // How much each slot adds to the logit: less the logit with that slot 0 in all events. Largest
  // magnitude first, ties by name; slots that change nothing are left out.
  std::vector<Contribution> contributions(const std::string& module, const Inputs& inputs) const;

  std::size_t features(const std::string& module) const;  // weights held; 0 for an unknown one
  std::optional<Weights> weights(const std::string& module) const;
  // Learning starts afresh from there; false for an unknown module.
  bool set_weights(const std::string& module, std::span<const float> weights);

  std::string save() const;
  using Outcome = LinearScorer::Outcome;
  // Restores by name, or only the module `only` unless that is empty. Throws std::invalid_argument
  // for other bytes. `agree` is asked with the outcome before anything changes, and may throw.
  Outcome load(std::string_view bytes, std::string_view only,
               const std::function<void(const Outcome&)>& agree);

 private:
  struct Moments {
    simd::Lstm mean;
    simd::Lstm energy;
  };
  struct Module {
    std::string digest;
    std::unique_ptr<simd::Lstm> net;
    std::unique_ptr<Moments> moments;  // from the first label on
    std::uint64_t labels = 0;
    std::unique_ptr<simd::LstmState> stream;  // from its first event on
  };
  using Modules = std::map<std::string, Module, std::less<>>;

  Module* find(const std::string& module);
  const Module* find(const std::string& module) const;
  using Names = std::shared_ptr<const std::vector<std::string>>;
  Names names_with(const Modules& fresh, const Module* without = nullptr) const;
  void put_in_place_of_old(Modules& fresh, Names names) noexcept;
  static Modules read_modules(std::string_view bytes, std::string_view only);

  std::uint64_t seed_;
  Modules modules_;
  Names names_ = std::make_shared<const std::vector<std::string>>();  // replaced, never edited
  mutable std::shared_mutex mutex_;
};

}  // namespace prefrontal::pulse
