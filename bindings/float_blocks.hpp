// Blocks of float32 as arguments and results of calls that take a tenth of a microsecond: nothing
// is put together before something is wrong. NumPy arrays, or tensors (dlpack.hpp).
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <vector>

namespace prefrontal::bindings {

namespace py = pybind11;

inline constexpr py::ssize_t kAny = -1;

// One to three dimensions, in C order.
struct FloatBlock {
  float* data;
  int dimensions;
  std::array<py::ssize_t, 3> shape;

  bool is(py::ssize_t a) const { return dimensions == 1 && fits(0, a); }
  bool is(py::ssize_t a, py::ssize_t b) const {
    return dimensions == 2 && fits(0, a) && fits(1, b);
  }
  bool is(py::ssize_t a, py::ssize_t b, py::ssize_t c) const {
    return dimensions == 3 && fits(0, a) && fits(1, b) && fits(2, c);
  }

 private:
  bool fits(int at, py::ssize_t size) const { return size == kAny || shape[at] == size; }
};

// Raises TypeError (no array, other dtype) or ValueError (order, alignment, read-only, too long),
// naming `what`.
FloatBlock float_block(py::handle value, const char* what, bool written = false);

// ValueError "`what` must be of shape `rule`, got ...".
[[noreturn]] void refuse_shape(const char* what, const std::string& rule, py::handle value);

// Rows of `columns` numbers each; a vector is one row.
struct FloatRows {
  float* data;
  int rows;
  bool vector;
};
FloatRows float_rows(py::handle value, const char* what, py::ssize_t columns);

// A fresh array for one result of `columns` numbers a row, a vector where `rows` was one.
py::array_t<float> result_for(const FloatRows& rows, py::ssize_t columns);
// A given array for it, apart from the rows in memory.
float* given_for(const FloatRows& rows, py::ssize_t columns, py::handle value, const char* what,
                 py::ssize_t read_columns);

// The numbers of an object that the array keeps alive.
py::array shared_view(float* data, std::vector<py::ssize_t> shape, py::handle owner, bool writable);

}  // namespace prefrontal::bindings
