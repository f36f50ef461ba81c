// Python's SignalEvent as the kernels' Event. The texts stay Python's: keep the objects alive.
#pragma once

#include <pybind11/pybind11.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/pulse/event.hpp"

namespace prefrontal::bindings {

// What the events' texts live in where no event keeps them.
struct Spare {
  std::deque<std::string> texts;  // those that Python could not lend as UTF-8
  std::vector<pybind11::object> objects;
};

struct ReadWindow {
  pulse::Window events;
  Spare spare;
};

// Both raise TypeError naming the field, the rule and the value.
void read_event(pybind11::handle event, std::string_view owner, pulse::Event& out, Spare& spare);
ReadWindow read_window(pybind11::handle window);

// For people: a cut word or half a surrogate pair of a file name is no UTF-8.
pybind11::str readable(const std::string& name);

}  // namespace prefrontal::bindings
