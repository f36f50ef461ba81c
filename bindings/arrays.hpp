// NumPy arrays as arguments: every binding checks its arrays here, so every slip reads the same.
//
// NumPy itself is loaded by the first array, not by `import prefrontal._core`.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <climits>
#include <string>
#include <type_traits>

namespace prefrontal::bindings {

namespace py = pybind11;

// The array `what` as a read-only (or, when asked, writable) block of T in C order.
template <class T>
struct Block {
  T* data;
  py::ssize_t rows;     // 1 for a vector
  py::ssize_t columns;  // numbers in a row
};

inline std::string type_name(py::handle value) {
  return py::type::of(value).attr("__name__").cast<std::string>();
}

inline std::string described(const py::array& array) {
  return py::str(array.dtype()).cast<std::string>() + " of shape " +
         py::str(array.attr("shape")).cast<std::string>();
}

// "float32", "int64", ... as numpy calls it.
template <class T>
std::string dtype_name() {
  return py::str(py::dtype::of<std::remove_const_t<T>>()).template cast<std::string>();
}

// `value` as an array of `dimensions` (1 or 2) dimensions, of exactly type T, in C order.
// T const: read only. Raises TypeError (no array, other dtype) or ValueError (shape, order,
// read-only), naming `what`.
template <class T>
Block<T> block(py::handle value, const char* what, int dimensions = 1) {
  const std::string rule = std::string(what) + " must be ";
  if (!py::isinstance<py::array>(value)) {
    throw py::type_error(rule + "a numpy array of " + dtype_name<T>() + ", got " +
                         type_name(value));
  }
  const auto array = py::reinterpret_borrow<py::array>(value);
  if (!py::isinstance<py::array_t<std::remove_const_t<T>, 0>>(array)) {
    throw py::type_error(rule + "an array of " + dtype_name<T>() + ", got " + described(array));
  }
  if (array.ndim() != dimensions) {
    throw py::value_error(rule + "an array of " + std::to_string(dimensions) +
                          " dimension(s), got " + described(array));
  }
  if (!(array.flags() & py::array::c_style)) {
    throw py::value_error(rule + "contiguous in C order, got strides " +
                          py::str(array.attr("strides")).cast<std::string>());
  }
  if constexpr (!std::is_const_v<T>) {
    if (!array.writeable()) throw py::value_error(rule + "writable, got a read-only array");
  }
  if (array.size() > INT_MAX) {
    throw py::value_error(rule + "at most 2147483647 numbers long, got " +
                          std::to_string(array.size()));
  }
  const py::ssize_t rows = dimensions == 2 ? array.shape(0) : 1;
  return {const_cast<T*>(static_cast<const T*>(array.data())), rows, array.shape(dimensions - 1)};
}

}  // namespace prefrontal::bindings
