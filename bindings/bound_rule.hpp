// RuleState as Python holds it: with the arrays that a tick works between.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "csrc/control/rule/rule_state.hpp"

namespace prefrontal::bindings {

struct BoundRule : control::RuleState {
  BoundRule(const control::RuleOptions& options, control::Parameters parameters, int count);

  int candidates;
  std::vector<float> z_delta, z_world, summaries, biases;  // of tick
};

void def_made(pybind11::class_<BoundRule>& rule);  // how one is made
void def_kept(pybind11::class_<BoundRule>& rule);  // its state and its arrays

}  // namespace prefrontal::bindings
