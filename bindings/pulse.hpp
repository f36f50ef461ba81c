#pragma once

#include <pybind11/pybind11.h>

// Adds the submodule `pulse` to `m`.
void register_pulse(pybind11::module_& m);

// Adds the class `Limbic` to the submodule `pulse`.
void register_limbic(pybind11::module_& pulse);

// Adds the class `Routes` to the submodule `pulse`.
void register_routes(pybind11::module_& pulse);

// Adds the class `LstmLimbic` to the submodule `pulse`.
void register_lstm(pybind11::module_& pulse);

// Adds the classes of rules to the submodule `pulse`.
void register_rules(pybind11::module_& pulse);

// Adds the thresholds that keep a recall to the submodule `pulse`.
void register_recall(pybind11::module_& pulse);
