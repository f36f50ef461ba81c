#pragma once

#include "csrc/simd/operators.hpp"

namespace prefrontal::simd {

// The table of the instruction set that `kernels()` uses.
const OperatorKernels& operator_kernels();

}  // namespace prefrontal::simd
