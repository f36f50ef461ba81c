#pragma once

#include <pybind11/pybind11.h>

// Adds the submodule `control` to `m`.
void register_control(pybind11::module_& m);

// Its parts.
void register_grid_world(pybind11::module_& control);
void register_grid_worlds(pybind11::module_& control);
void register_control_state(pybind11::module_& control);
