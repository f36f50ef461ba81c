// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/operators.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)
#define PREFRONTAL_TEXT_(a) #a
#define PREFRONTAL_TEXT(a) PREFRONTAL_TEXT_(a)

namespace prefrontal::simd {

extern const OperatorKernels PREFRONTAL_JOIN(operators_, PREFRONTAL_ISA) = {
    PREFRONTAL_TEXT(PREFRONTAL_ISA), &PREFRONTAL_JOIN(cue_training_, PREFRONTAL_ISA),
    &PREFRONTAL_JOIN(rollouts_, PREFRONTAL_ISA), &PREFRONTAL_JOIN(sequences_, PREFRONTAL_ISA),
    &PREFRONTAL_JOIN(trajectories_, PREFRONTAL_ISA)};

}  // namespace prefrontal::simd
