// Single values of an event as C++ sees them, and what is said when one has the wrong type.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "csrc/pulse/event.hpp"
#include "events.hpp"

namespace prefrontal::bindings {

// What an error would call a value; put together only when there is one.
struct Name {
  std::string_view owner;
  std::string_view field;    // of the event
  std::string_view feature;  // of event.features
};

// All raise TypeError naming the value, the rule and what was found.
[[noreturn]] void refuse(const Name& name, const char* rule, pybind11::handle value);
std::string_view text(pybind11::handle value, const Name& what, Spare& spare);
double number(pybind11::handle value, const Name& what);

// Reads a dict of features into the event, whose source has been read.
void read_features(pybind11::handle features, std::string_view owner, pulse::Event& out,
                   Spare& spare);

}  // namespace prefrontal::bindings
