// An LSTM's weights as a dict of arrays, under the names that torch gives them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "csrc/pulse/lstm_scorer.hpp"

namespace prefrontal::bindings {

// Raises ValueError or TypeError naming the array that is missing, too many, or of another type,
// shape or order, or holds NaN or infinity.
pulse::Weights read_weights(const pybind11::dict& given);

pybind11::dict named_weights(const pulse::Weights& weights);

}  // namespace prefrontal::bindings
