#pragma once

#include <pybind11/pybind11.h>

// The parts of register_control_state.
void register_cue_reader(pybind11::module_& control);
void register_context_reader(pybind11::module_& control);
void register_rule_state(pybind11::module_& control);
