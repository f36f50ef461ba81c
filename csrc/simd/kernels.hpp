// The kernels that exist once for each instruction set. C headers only: an inline function of the
// standard library in kernels.cpp could leak wide instructions into the whole program.
#pragma once

#include "csrc/simd/lstm.hpp"
#include "csrc/simd/rule.hpp"
#include "csrc/simd/slots.hpp"

namespace prefrontal::simd {

struct Kernels {
  const char* name;
  // y[i] = 1 / (1 + exp(-x[i])) within 3 ulp; |x| > 87 counts as 87, NaN stays NaN; y may be x.
  void (*sigmoid)(const float* x, float* y, int n);
  // y[i] += x[i]
  void (*add)(const float* x, float* y, int n);
  // y[i] = tanh(x[i]) within 3 ulp; NaN stays NaN; y may be x.
  void (*tanh)(const float* x, float* y, int n);
  const LstmKernels* lstm;
  const SlotKernels* slots;
  const RuleKernels* rule;
};

extern const Kernels kernels_scalar;
extern const Kernels kernels_base;
extern const Kernels kernels_v3;  // on x86-64 only, like v4
extern const Kernels kernels_v4;

extern const LstmKernels lstm_scalar;
extern const LstmKernels lstm_base;
extern const LstmKernels lstm_v3;
extern const LstmKernels lstm_v4;

extern const RuleKernels rule_scalar;
extern const RuleKernels rule_base;
extern const RuleKernels rule_v3;
extern const RuleKernels rule_v4;

extern const SlotKernels slots_scalar;
extern const SlotKernels slots_base;
extern const SlotKernels slots_v3;
extern const SlotKernels slots_v4;

}  // namespace prefrontal::simd
