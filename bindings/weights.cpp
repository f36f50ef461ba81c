#include "weights.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace prefrontal::bindings {

using pulse::Weights;

namespace {

struct Part {
  const char* name;
  std::vector<py::ssize_t> shape;
};

const std::vector<Part>& parts() {
  static const std::vector<Part> all = {{"weight_ih_l0", {256, 16}}, {"weight_hh_l0", {256, 64}},
                                        {"bias_ih_l0", {256}},       {"bias_hh_l0", {256}},
                                        {"head.weight", {1, 64}},    {"head.bias", {1}}};
  return all;
}

std::string shown(const std::vector<py::ssize_t>& shape) {
  return py::repr(py::tuple(py::cast(shape))).cast<std::string>();
}

}  // namespace

Weights read_weights(const py::dict& given) {
  Weights weights;
  for (const auto& [name, shape] : parts()) {
    if (!given.contains(name)) {
      throw py::value_error("weights must hold " + std::string(name) + ", got " +
                            py::repr(py::list(given)).cast<std::string>());
    }
    const std::string what = "weights['" + std::string(name) + "']";
    const auto part = block<const float>(given[name], what.c_str(), static_cast<int>(shape.size()));
    if (part.columns != shape.back() || part.rows != (shape.size() == 2 ? shape[0] : 1)) {
      throw py::value_error(what + " must be of shape " + shown(shape) + ", got " +
                            py::repr(given[name].attr("shape")).cast<std::string>());
    }
    weights.insert(weights.end(), part.data, part.data + part.rows * part.columns);
    if (!std::all_of(part.data, part.data + part.rows * part.columns,
                     [](float weight) { return std::isfinite(weight); })) {
      throw py::value_error(what + " must be finite, got NaN or infinity");
    }
  }
  if (given.size() != parts().size()) {
    throw py::value_error("weights must hold those six alone, got " +
                          py::repr(py::list(given)).cast<std::string>());
  }
  return weights;
}

py::dict named_weights(const Weights& weights) {
  py::dict out;
  const float* from = weights.data();
  for (const auto& [name, shape] : parts()) {
    py::array_t<float> part(shape);
    std::copy_n(from, part.size(), part.mutable_data());
    from += part.size();
    out[name] = part;
  }
  return out;
}

}  // namespace prefrontal::bindings
