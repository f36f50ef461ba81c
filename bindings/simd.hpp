#pragma once

#include <pybind11/pybind11.h>

// Adds the submodule `simd` to `m`: single kernels, for the tests.
void register_simd(pybind11::module_& m);
