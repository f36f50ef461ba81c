// Python's dicts of tools as the index takes them; the texts stay Python's.
#pragma once

#include <pybind11/pybind11.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/routing/tool_index.hpp"

namespace prefrontal::bindings {

struct GivenTools {
  std::vector<routing::GivenTool> tools;
  // What the texts live in.
  std::vector<pybind11::object> kept;
  std::deque<std::string> spare;
};

// Raises ValueError naming the key, the rule and the value.
GivenTools read_tools(const pybind11::list& tools);

}  // namespace prefrontal::bindings
