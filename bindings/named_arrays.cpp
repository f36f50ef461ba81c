#include "named_arrays.hpp"

#include <pybind11/stl.h>

#include <algorithm>

#include "arrays.hpp"
#include "dlpack.hpp"

namespace prefrontal::bindings {

using control::NamedShape;
using control::Parameters;

namespace {

using Copy = py::array_t<float, py::array::c_style>;

std::string quoted(std::string_view name) { return "parameters['" + std::string(name) + "']"; }

void check_shape(py::handle value, const NamedShape& wanted, const std::vector<int>& shape) {
  const bool number = shape.empty() && wanted.shape == std::vector<int>{1};
  if (shape != wanted.shape && !number)
    throw py::value_error(quoted(wanted.name) + " must be of shape " +
                          py::repr(py::tuple(py::cast(wanted.shape))).cast<std::string>() +
                          ", got " +
                          py::str(py::tuple(py::list(value.attr("shape")))).cast<std::string>());
}

// Arrays and tensors in another order are taken too: they are copied in any case.
std::vector<float> read(py::handle value, const NamedShape& wanted) {
  BorrowedTensor tensor;
  if (!py::isinstance<py::array>(value) && borrow(value, quoted(wanted.name).c_str(), tensor)) {
    refuse_negated(value, quoted(wanted.name).c_str());
    check_shape(value, wanted, {tensor.shape, tensor.shape + tensor.dimensions});
    return copied(tensor);
  }
  const std::string rule = quoted(wanted.name) + " must be ";
  if (!py::isinstance<py::array>(value))
    throw py::type_error(rule + "a numpy array of float32, got " + type_name(value));
  const auto array = py::reinterpret_borrow<py::array>(value);
  if (!py::isinstance<py::array_t<float, 0>>(array))
    throw py::type_error(rule + "an array of float32, got " + described(array));
  check_shape(array, wanted, {array.shape(), array.shape() + array.ndim()});
  const Copy copy(array);
  return {copy.data(), copy.data() + copy.size()};
}

// x - x is 0 for a number and NaN for everything else, and so is the sum of them.
bool all_finite(const std::vector<float>& values) {
  float lanes[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= values.size(); i += 16)
    for (int lane = 0; lane < 16; ++lane) lanes[lane] += values[i + lane] - values[i + lane];
  for (; i < values.size(); ++i) lanes[0] += values[i] - values[i];
  return std::all_of(lanes, lanes + 16, [](float none) { return none == 0.0f; });
}

py::dict as_dict(py::handle given) {
  if (!py::hasattr(given, "keys"))
    throw py::type_error("parameters must be a mapping of names to arrays, got " +
                         type_name(given));
  return py::dict(py::reinterpret_borrow<py::object>(given));
}

}  // namespace

Parameters named_arrays(py::handle given, const std::vector<NamedShape>& shapes) {
  const py::dict arrays = as_dict(given);
  Parameters out;
  std::size_t found = 0;
  for (const NamedShape& each : shapes) {
    std::vector<float>& values = out.emplace_back();
    const py::str name(each.name.data(), each.name.size());
    if (!arrays.contains(name)) {
      if (!each.required) continue;
      throw py::value_error("parameters must hold '" + std::string(each.name) + "', got " +
                            py::repr(py::list(arrays)).cast<std::string>());
    }
    ++found;
    values = read(arrays[name], each);
    if (!all_finite(values))
      throw py::value_error(quoted(each.name) + " must be finite, got NaN or infinity");
  }
  if (found == arrays.size()) return out;
  for (const auto& item : arrays) {
    const bool known = std::any_of(shapes.begin(), shapes.end(), [&](const NamedShape& each) {
      return item.first.equal(py::str(each.name.data(), each.name.size()));
    });
    if (!known)
      throw py::value_error("parameters must hold names of this object alone, got " +
                            py::repr(item.first).cast<std::string>());
  }
  return out;
}

int second_size(py::handle given, const char* name, int otherwise) {
  const py::dict arrays = as_dict(given);
  if (!arrays.contains(name) || !py::hasattr(arrays[name], "shape")) return otherwise;
  const py::object shape = arrays[name].attr("shape");
  if (!py::isinstance<py::tuple>(shape) || py::len(shape) != 2) return otherwise;
  const auto columns = py::tuple(shape)[1].cast<py::ssize_t>();
  return columns >= 1 && columns <= 4096 ? static_cast<int>(columns) : otherwise;
}

py::tuple told_names(const std::vector<std::string_view>& names) {
  py::tuple out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) out[i] = py::str(names[i].data(), names[i].size());
  return out;
}

}  // namespace prefrontal::bindings
