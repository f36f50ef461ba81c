#pragma once

#include <pybind11/pybind11.h>

// Adds the submodule `pulse` to `m`.
void register_pulse(pybind11::module_& m);
