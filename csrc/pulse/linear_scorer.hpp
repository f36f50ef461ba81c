// Logistic relevance of a window for each module, learned online from labels.
//
//   p = sigmoid(n pair + (1 - n) steady), pair = m slow + (1 - m) fast,
//   slow, fast and steady each b + sum of w_i over the features
//
// Three learners see every label. All take implicit steps, w_i += r_i (y - p') with p' the
// learner's probability after the step, found by Newton's method, so one label never overshoots
// (Kulis and Bartlett, ICML 2010). The slow one is AdaGrad, r_i = lr / sqrt(G_i) (Duchi et al.,
// JMLR 2011); the fast one keeps r_i constant and so follows a world that changes; the steady one
// divides by the evidence, r_i = v / (1 + v G_i). How large r_i is depends on the feature's kind:
// learning_rates.hpp. m follows which of two predicted better lately: m = sigmoid(eta * lead), lead
// the discounted difference of their log losses (exponential weights; Herbster and Warmuth, 1998);
// n likewise, of the pair and the steady one, to whom odds of e are given before any label. No
// momentum, nothing random, the same bits on every processor.
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

#include "csrc/pulse/feature_table.hpp"
#include "csrc/pulse/learning_rates.hpp"
#include "csrc/pulse/sparse_features.hpp"

namespace prefrontal::pulse {

struct Seed {
  std::uint64_t key;
  Kind kind;
  float weight;  // log-odds that the feature adds before anything is learned
};

struct Contribution {
  std::string name;
  float weight;  // signed log-odds
};

// What became of one saved module when it was loaded.
enum class Restored { restored, created, changed };

// Safe to use from several threads: many may score while none learns, one learns at a time. What
// throws changes nothing: a call takes all the memory it needs before its first change.
class LinearScorer {
 public:
  explicit LinearScorer(const LearningRates& rates) : rates_(rates) {}

  // Replaces a module of the same name. `digest` tells fingerprints apart across a save. `steady`:
  // whether its scores mix in the steady learner, where the rates have one. `commit_files`: how the
  // module's keys are to be read, kept with its weights, which mean nothing otherwise.
  void add(const std::string& module, const std::string& digest, float bias,
           std::span<const Seed> seeds, bool steady = true, bool commit_files = false);
  bool remove(const std::string& module);  // false when there was none
  // Adds what the module does not know yet; false for an unknown module.
  bool seed(const std::string& module, std::span<const Seed> seeds);

  // 0 for an unknown module or an empty window.
  float score(const std::string& module, const Keys& keys) const;
  struct Scores {
    std::shared_ptr<const std::vector<std::string>> modules;  // sorted by name
    std::vector<float> values;                                // one a module
  };
  Scores score_all(const Keys& keys) const;
  // Of these modules alone; the unknown among them are left out.
  Scores score_some(std::span<const std::string> modules, const Keys& keys) const;
  std::vector<std::string> modules() const;  // sorted by name

  // Moves the module towards `label` in [0, 1]; false for an unknown module or an empty window.
  bool learn(const std::string& module, const Keys& keys, float label);

  // The features with weight, largest magnitude first, ties by name; "bias" among them.
  std::vector<Contribution> contributions(const std::string& module,
                                          const std::vector<NamedFeature>& features) const;

  // Share of the keys that no label told the module about; 0 for none and for an unknown module.
  double unseen(const std::string& module, const Keys& keys) const;

  // As of `add`; false for an unknown module.
  bool commit_files(const std::string& module) const;

  // Weights held for the module; 0 for an unknown one.
  std::size_t features(const std::string& module) const;

  std::string save() const;
  using Outcome = std::vector<std::pair<std::string, Restored>>;
  // Restores by name, or only the module `only` unless that is empty. Throws std::invalid_argument
  // for other bytes. `agree` is asked with the outcome before anything changes, and may throw.
  Outcome load(std::string_view bytes, std::string_view only,
               const std::function<void(const Outcome&)>& agree);

 private:
  struct Module {
    Slot slot = 0;
    std::string digest;
    std::size_t features = 0;
    bool steady = true;
    bool commit_files = false;
  };
  using Modules = std::map<std::string, Module, std::less<>>;
  // How much better the slow learner predicted than the fast one, and both than the steady one.
  struct Lead {
    float slow = 0.0F;
    float pair = 0.0F;
  };
  // A module on its way in.
  struct Arrival {
    std::string digest;
    Cell bias;
    Lead lead;
    std::optional<bool> steady;  // none: as before
    bool commit_files = false;
    std::vector<std::pair<std::uint64_t, Cell>> cells;  // the later of two for a key counts
  };
  using Arrivals = std::map<std::string, Arrival, std::less<>>;
  static Arrivals read_modules(std::string_view bytes, std::string_view only);
  struct Logits {
    float slow = 0.0F;
    float fast = 0.0F;
    float steady = 0.0F;
  };
  // Shares of the slow learner in the pair, and of the pair.
  struct Mix {
    float slow = 0.5F;
    float pair = 1.0F;

    float pair_of(const Logits& logits) const {
      return slow * logits.slow + (1.0F - slow) * logits.fast;
    }
    float of(const Logits& logits) const {
      return pair * pair_of(logits) + (1.0F - pair) * logits.steady;
    }
  };
  static Mix mix_of(const Lead& lead, bool steady);
  static void begin_steady(Arrival& module);
  Logits logits(Slot slot, const Keys& keys) const;
  void judge(const Module& module, const Logits& predicted, float label);
  void set_lead(const Module& module, const Lead& lead);
  // `last` is called when nothing else can fail any more.
  void admit(Arrivals arrivals, const std::function<void()>& last = [] {});
  void reserve(Slot slot, const Arrival& arrival);
  void enter(Module& module, Arrival& arrival) noexcept;
  void clear(Slot slot) noexcept;
  static void put(Module& module, Row& row, const Cell& cell) noexcept;
  void forget_weakest(Module& module, std::vector<float>& sizes) noexcept;
  Slot free_slot();
  struct Index {
    std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
    std::vector<Slot> order;
  };
  Index index_with(const Modules& fresh, const Module* without = nullptr) const;
  void set_index(Index index) noexcept;

  const LearningRates& rates_;
  Modules modules_;
  std::vector<Cell> bias_;  // by slot
  std::vector<Lead> lead_;  // by slot
  std::vector<Mix> mix_;    // by slot
  std::vector<bool> used_;  // by slot
  FeatureTable table_;
  std::shared_ptr<const std::vector<std::string>> names_ =
      std::make_shared<const std::vector<std::string>>();  // replaced whole, never edited
  std::vector<Slot> order_;                                // slots in the order of names_
  mutable std::shared_mutex mutex_;
};

}  // namespace prefrontal::pulse
