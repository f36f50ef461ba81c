#pragma once

#include <pybind11/pybind11.h>

// Gives everything in `m` the documentation of its stub, which help() then shows.
void document_from_stubs(pybind11::module_& m);
