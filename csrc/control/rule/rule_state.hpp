// The gated rule state of lateral prefrontal cortex: one for all, or one for each environment.
//
//   e = eta clip(gate, 0, 1) (1 + gain clip(override, 0, 1))
//   rule <- (1 - e) rule + e (delta_proj z_delta + pool world_proj z_world)
//   bias_k = bound(head [rule, S_k]); forms and bounds below; csrc/simd/rule.hpp
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "csrc/control/named_shape.hpp"
#include "csrc/simd/rule.hpp"

namespace prefrontal::control {

enum class BiasForm {
  per_candidate,  // of the rule and the candidate's summary
  uniform,        // of the rule alone, the same for all
  gain,           // 1 + what per_candidate gives: a factor
};

struct RuleOptions {
  double update_eta = 0.05;
  double world_pool_weight = 0.5;
  double bias_scale = 0.1;
  double override_gain = 0.0;
  BiasForm form = BiasForm::per_candidate;
  bool smooth = false;   // bound by tanh instead of the nearer end
  bool centred = false;  // summaries less their mean over the candidates, from two on
  int environments = 0;  // 0: one rule, over the mean of all rows
};

// Throws std::invalid_argument naming the option that is out of its range.
void check(const RuleOptions& options);
std::vector<NamedShape> rule_shapes(const RuleOptions& options);

// What the biases are made of; may be read without a lock.
struct RuleView {
  std::shared_ptr<const simd::RuleTable> table;
  const float* hidden;
  bool uniform;
  bool centred;

  // Of n candidates in each of `rules` rows of `hidden`.
  void bias(const float* summaries, int rules, int n, float* biases) const;
};

class RuleState {
 public:
  RuleState(const RuleOptions& options, Parameters parameters);

  const RuleOptions& options() const { return options_; }
  int rules() const { return options_.environments > 0 ? options_.environments : 1; }
  void refresh(Parameters parameters);
  std::vector<std::string_view> changed(const Parameters& parameters) const;

  // One gate and one override for all, or one for each rule. Throws std::invalid_argument, and
  // changes nothing, where one is NaN or a moved rule is not finite.
  void update(const float* z_delta, const float* z_world, int rows, std::span<const double> gates,
              std::span<const double> overrides);
  RuleView view() const;
  std::span<const float> hidden() const { return hidden_; }

  std::span<const float> rule() const { return rule_; }
  void set_rule(std::span<const float> rule);  // throws std::invalid_argument where not finite
  void reset();
  void reset(long environment);

 private:
  double step(double gate, double override) const;
  void share(int rule);

  RuleOptions options_;
  Parameters parameters_;
  std::shared_ptr<const simd::RuleTable> table_;
  std::vector<float> rule_;
  std::vector<float> moved_;   // becomes the rule when all of it is finite
  std::vector<float> hidden_;  // the first layer without the summaries
};

}  // namespace prefrontal::control
