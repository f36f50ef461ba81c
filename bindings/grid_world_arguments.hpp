// The arguments that both bindings of the grid world take: a configuration, a random stream,
// arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "csrc/control/world/grid_world.hpp"

namespace prefrontal::bindings {

// By the names of GridWorldConfig. Raises TypeError for an unknown name and for another type.
control::GridWorldConfig read_config(const pybind11::kwargs& given);

// The C interface of a numpy.random.Generator, good while the generator lives.
control::BitGenerator* bit_generator(pybind11::handle rng);

// Writable float32 arrays of `rows` rows (0: none, they are vectors).
control::ObservationView observation_view(const pybind11::dict& arrays, pybind11::ssize_t rows);

// Fresh arrays by name.
pybind11::dict new_observation(control::ObservationView& view);

}  // namespace prefrontal::bindings
