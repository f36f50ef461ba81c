#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

// Adds the submodule `routing` to `m`.
void register_routing(pybind11::module_& m);

// Adds the class `ToolIndex` to the submodule `routing`.
void register_tool_index(pybind11::module_& routing);

namespace prefrontal::bindings {

// The text's UTF-8, which lives as long as it does; a lone surrogate becomes its three bytes,
// which then live in `spare`.
std::string_view utf8(pybind11::handle text, std::string& spare);

pybind11::str text_of(std::string_view utf8);

}  // namespace prefrontal::bindings
