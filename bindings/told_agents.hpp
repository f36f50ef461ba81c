// What the trigger engine says of its agents, as Python reads it. All of these copy before they
// make Python's objects: that may run Python, and Python may change the engine.
#pragma once

#include <pybind11/pybind11.h>

#include "csrc/cortex/trigger_engine.hpp"

namespace prefrontal::bindings {

// The names of a set of triggers, in order of precedence.
const pybind11::tuple& triggers(unsigned fired);
pybind11::list due(cortex::TriggerEngine& engine, double now);
std::uint64_t interactions(const cortex::TriggerEngine& engine, cortex::AgentId agent);
pybind11::dict statistics(const cortex::TriggerEngine& engine, cortex::AgentId agent,
                          const pybind11::str& peer);
pybind11::list peers(const cortex::TriggerEngine& engine, cortex::AgentId agent);
pybind11::list commitments(const cortex::TriggerEngine& engine, cortex::AgentId agent);

}  // namespace prefrontal::bindings
