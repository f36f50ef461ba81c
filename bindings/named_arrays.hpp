// The parameters of a state object, given as a mapping from names to arrays.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>
#include <vector>

#include "csrc/control/named_shape.hpp"

namespace prefrontal::bindings {

// A copy of each array. Raises TypeError (no mapping, no float32 array) or ValueError (a name
// missing or unknown, another shape, NaN or infinity), naming "parameters['name']".
control::Parameters named_arrays(pybind11::handle given,
                                 const std::vector<control::NamedShape>& shapes);

// The second size of parameters[name], or `otherwise` where there is no such array.
int second_size(pybind11::handle given, const char* name, int otherwise);

pybind11::tuple told_names(const std::vector<std::string_view>& names);

}  // namespace prefrontal::bindings
