#include <cstdio>
#include <stdexcept>
#include <string>

#include "csrc/control/rule/rule_state.hpp"

namespace prefrontal::control {

using namespace simd;  // its widths

namespace {

void bounded(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  char told[80];
  std::snprintf(told, sizeof told, " must be %g to %g, got %g", low, high, value);
  throw std::invalid_argument(name + std::string(told));
}

}  // namespace

void check(const RuleOptions& options) {
  bounded("update_eta", options.update_eta, 0.0, 1.0);
  bounded("world_pool_weight", options.world_pool_weight, -1e6, 1e6);
  bounded("bias_scale", options.bias_scale, 1e-6, 1e6);
  bounded("override_gain", options.override_gain, 0.0, 1e6);
  bounded("update_eta * (1 + override_gain)", options.update_eta * (1 + options.override_gain), 0.0,
          1.0);
}

std::vector<NamedShape> rule_shapes(const RuleOptions& options) {
  const int first = options.form == BiasForm::uniform ? kRule : kRule + kSummary;
  return {{"delta_proj.weight", {kRule, kSummary}},      {"delta_proj.bias", {kRule}},
          {"world_proj.weight", {kRule, kSummary}},      {"world_proj.bias", {kRule}},
          {"rule_bias_head.0.weight", {kHidden, first}}, {"rule_bias_head.0.bias", {kHidden}},
          {"rule_bias_head.2.weight", {1, kHidden}},     {"rule_bias_head.2.bias", {1}}};
}

}  // namespace prefrontal::control
