#include "simd.hpp"

#include <pybind11/stl.h>
#include <optional>

#include "arrays.hpp"
#include "csrc/simd/dispatch.hpp"

namespace py = pybind11;
using prefrontal::bindings::block;
using prefrontal::simd::Kernels;
using prefrontal::simd::kernels;

namespace {

const Kernels& table(const std::optional<std::string>& isa) {
  return isa ? kernels(*isa, "isa") : kernels();
}

py::array_t<float> sigmoid(py::handle x, const std::optional<std::string>& isa) {
  const auto from = block<const float>(x, "x");
  py::array_t<float> out(from.columns);
  table(isa).sigmoid(from.data, out.mutable_data(), static_cast<int>(from.columns));
  return out;
}

py::array_t<float> tangent(py::handle x, const std::optional<std::string>& isa) {
  const auto from = block<const float>(x, "x");
  py::array_t<float> out(from.columns);
  table(isa).tanh(from.data, out.mutable_data(), static_cast<int>(from.columns));
  return out;
}

void add(py::handle x, py::handle y, const std::optional<std::string>& isa) {
  const auto from = block<const float>(x, "x");
  const auto to = block<float>(y, "y");
  if (from.columns != to.columns) {
    throw py::value_error("y must be as long as x (" + std::to_string(from.columns) + "), got " +
                          std::to_string(to.columns));
  }
  table(isa).add(from.data, to.data, static_cast<int>(from.columns));
}

}  // namespace

void register_simd(py::module_& m) {
  auto simd = m.def_submodule("simd", "Single kernels of one instruction set, for the tests.");
  simd.def("sigmoid", &sigmoid, py::arg("x"), py::arg("isa") = py::none());
  simd.def("tanh", &tangent, py::arg("x"), py::arg("isa") = py::none());
  simd.def("add", &add, py::arg("x"), py::arg("y"), py::arg("isa") = py::none());
}
