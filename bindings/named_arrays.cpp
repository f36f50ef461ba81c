#include "named_arrays.hpp"

#include <pybind11/stl.h>

#include <algorithm>

#include "arrays.hpp"

namespace prefrontal::bindings {

using control::NamedShape;
using control::Parameters;

namespace {

using Copy = py::array_t<float, py::array::c_style>;

std::string quoted(std::string_view name) { return "parameters['" + std::string(name) + "']"; }

// Arrays in another order are taken too: they are copied in any case.
Copy read(py::handle value, const NamedShape& wanted) {
  const std::string rule = quoted(wanted.name) + " must be ";
  if (!py::isinstance<py::array>(value))
    throw py::type_error(rule + "a numpy array of float32, got " + type_name(value));
  const auto array = py::reinterpret_borrow<py::array>(value);
  if (!py::isinstance<py::array_t<float, 0>>(array))
    throw py::type_error(rule + "an array of float32, got " + described(array));
  const std::vector<int> shape(array.shape(), array.shape() + array.ndim());
  const bool number = shape.empty() && wanted.shape == std::vector<int>{1};
  if (shape != wanted.shape && !number)
    throw py::value_error(rule + "of shape " +
                          py::repr(py::tuple(py::cast(wanted.shape))).cast<std::string>() +
                          ", got " + py::str(array.attr("shape")).cast<std::string>());
  return Copy(array);
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
    const Copy copy = read(arrays[name], each);
    values.assign(copy.data(), copy.data() + copy.size());
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
  if (!arrays.contains(name) || !py::isinstance<py::array>(arrays[name])) return otherwise;
  const auto array = py::reinterpret_borrow<py::array>(arrays[name]);
  const bool small = array.ndim() == 2 && array.shape(1) >= 1 && array.shape(1) <= 4096;
  return small ? static_cast<int>(array.shape(1)) : otherwise;
}

py::tuple told_names(const std::vector<std::string_view>& names) {
  py::tuple out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) out[i] = py::str(names[i].data(), names[i].size());
  return out;
}

}  // namespace prefrontal::bindings
