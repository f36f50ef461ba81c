#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "csrc/cortex/thresholds.hpp"

// Adds the submodule `cortex` to `m`.
void register_cortex(pybind11::module_& m);

namespace prefrontal::bindings {

struct ThresholdName;

// A change of the thresholds that are given by name. Raises TypeError for an unknown name and for
// a value of the wrong type; the values themselves are checked by the engine.
class GivenThresholds {
 public:
  explicit GivenThresholds(const pybind11::kwargs& given);
  void operator()(cortex::Thresholds& thresholds) const;

 private:
  cortex::Thresholds values_;
  std::vector<const ThresholdName*> named_;
};

pybind11::dict told_thresholds(const cortex::Thresholds& thresholds);

}  // namespace prefrontal::bindings
