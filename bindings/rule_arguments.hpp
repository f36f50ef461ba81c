// Arguments of RuleState: every shape depends on whether it keeps a rule for each environment.
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <vector>

#include "csrc/control/rule/rule_state.hpp"
#include "float_blocks.hpp"

namespace prefrontal::bindings {

using Shape = std::vector<py::ssize_t>;

// `rest` after the number of environments, where there are any.
Shape shaped(const control::RuleState& state, Shape rest);
std::size_t numbers(const Shape& shape);

// One number for all, or where there are environments one for each.
class Numbers {
 public:
  Numbers(py::handle value, const char* what, int environments);

  std::span<const double> span() const {
    return many_.empty() ? std::span(&one_, 1) : std::span<const double>(many_);
  }

 private:
  void read_one(py::handle value, const char* what);
  void read_many(const py::array& array, const char* what, int environments);

  double one_ = 0.0;
  std::vector<double> many_;
};

// z_delta or z_world: one row or more, or one for each environment.
FloatRows read_z(const control::RuleState& state, py::handle value, const char* what);

struct Candidates {
  const float* summaries;
  py::ssize_t count;  // in each environment
};
Candidates read_summaries(const control::RuleState& state, py::handle value);
// Where their biases go.
float* read_biases(const control::RuleState& state, const Candidates& in, py::handle value);
const float* read_rule(const control::RuleState& state, py::handle value);

}  // namespace prefrontal::bindings
