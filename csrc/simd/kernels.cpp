// Compiled once for each instruction set, with PREFRONTAL_ISA naming it. No standard library here.
#include "csrc/simd/kernels.hpp"

#include "csrc/simd/exp.hpp"
#include "csrc/simd/tanh.hpp"
#include "csrc/simd/v16.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)
#define PREFRONTAL_TEXT_(a) #a
#define PREFRONTAL_TEXT(a) PREFRONTAL_TEXT_(a)

namespace prefrontal::simd {
namespace {

void sigmoid(const float* x, float* y, int n) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(sigmoid_of(load(x + i)), y + i);
  if (i < n) store_first(sigmoid_of(load_first(x + i, n - i)), y + i, n - i);
}

void add(const float* x, float* y, int n) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load(y + i) + load(x + i), y + i);
  for (; i < n; ++i) y[i] += x[i];
}

void tanh(const float* x, float* y, int n) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(tanh_of(load(x + i)), y + i);
  if (i < n) store_first(tanh_of(load_first(x + i, n - i)), y + i, n - i);
}

}  // namespace

extern const Kernels PREFRONTAL_JOIN(kernels_, PREFRONTAL_ISA) = {
    PREFRONTAL_TEXT(PREFRONTAL_ISA),
    sigmoid,
    add,
    tanh,
    &PREFRONTAL_JOIN(lstm_, PREFRONTAL_ISA),
    &PREFRONTAL_JOIN(slots_, PREFRONTAL_ISA),
    &PREFRONTAL_JOIN(rule_, PREFRONTAL_ISA)};

}  // namespace prefrontal::simd
