// What a state object's parameters are called and how large they are.
#pragma once

#include <string_view>
#include <vector>

namespace prefrontal::control {

struct NamedShape {
  std::string_view name;
  std::vector<int> shape;
  bool required = true;
};

// One flat array for each named shape, in its order; empty where an optional one is missing.
using Parameters = std::vector<std::vector<float>>;

}  // namespace prefrontal::control
