#include "rule_arguments.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "dlpack.hpp"

namespace prefrontal::bindings {

using control::RuleState;
using simd::kRule;
using simd::kSummary;

Shape shaped(const RuleState& state, Shape rest) {
  if (const int n = state.options().environments) rest.insert(rest.begin(), n);
  return rest;
}

std::size_t numbers(const Shape& shape) {
  std::size_t product = 1;
  for (py::ssize_t each : shape) product *= static_cast<std::size_t>(each);
  return product;
}

Numbers::Numbers(py::handle value, const char* what, int environments) {
  if (py::isinstance<py::array>(value) && py::reinterpret_borrow<py::array>(value).ndim() > 0)
    read_many(py::reinterpret_borrow<py::array>(value), what, environments);
  else if (BorrowedTensor tensor;
           environments && borrow(value, what, tensor) && tensor.dimensions == 1)
    read_many(py::array_t<float>(py::cast(copied(tensor))), what, environments);
  else
    read_one(value, what);
}

void Numbers::read_one(py::handle value, const char* what) {
  one_ = PyFloat_AsDouble(value.ptr());
  if (one_ != -1.0 || !PyErr_Occurred()) return;
  PyErr_Clear();
  throw py::type_error(std::string(what) + " must be a number, got " +
                       py::repr(value).cast<std::string>());
}

void Numbers::read_many(const py::array& array, const char* what, int environments) {
  if (std::string("fiub").find(array.dtype().kind()) == std::string::npos)
    throw py::type_error(std::string(what) + " must be an array of numbers, got " +
                         described(array));
  if (environments == 0 || array.ndim() != 1 || array.shape(0) != environments)
    refuse_shape(what, environments ? "(" + std::to_string(environments) + ",)" : "()", array);
  const py::array_t<double, py::array::c_style | py::array::forcecast> numbers(array);
  many_.assign(numbers.data(), numbers.data() + numbers.size());
}

FloatRows read_z(const RuleState& state, py::handle value, const char* what) {
  const FloatRows rows = float_rows(value, what, kSummary);
  const int n = state.options().environments;
  if (n ? rows.vector || rows.rows != n : rows.rows == 0)
    refuse_shape(what, n ? "(" + std::to_string(n) + ", 32)" : "(32,) or (1 or more, 32)", value);
  return rows;
}

Candidates read_summaries(const RuleState& state, py::handle value) {
  const FloatBlock block = float_block(value, "summaries");
  const int n = state.options().environments;
  const bool fits = n ? block.is(n, kAny, kSummary) : block.is(kAny, kSummary);
  if (!fits || block.shape[n ? 1 : 0] == 0)
    refuse_shape("summaries", n ? "(" + std::to_string(n) + ", 1 or more, 32)" : "(1 or more, 32)",
                 value);
  return {block.data, block.shape[n ? 1 : 0]};
}

float* read_biases(const RuleState& state, const Candidates& in, py::handle value) {
  const FloatBlock out = float_block(value, "biases", true);
  const int n = state.options().environments;
  if (n ? !out.is(n, in.count) : !out.is(in.count)) {
    const py::tuple shape = py::cast(shaped(state, {in.count}));
    refuse_shape("biases", py::str(py::tuple(shape)).cast<std::string>(), value);
  }
  const py::ssize_t all = state.rules() * in.count;
  if (out.data < in.summaries + all * kSummary && in.summaries < out.data + all)
    throw py::value_error("biases must not overlap what is read, got the same memory");
  return out.data;
}

const float* read_rule(const RuleState& state, py::handle value) {
  const FloatBlock block = float_block(value, "rule");
  const int n = state.options().environments;
  if (n ? !block.is(n, kRule) : !block.is(kRule))
    refuse_shape("rule", n ? "(" + std::to_string(n) + ", 16)" : "(16,)", value);
  return block.data;
}

}  // namespace prefrontal::bindings
