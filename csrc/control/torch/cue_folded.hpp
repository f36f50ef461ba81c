// Reading a context memory that fold_cue or fold_context has folded: a SlotTable in a flat tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include "csrc/control/torch/cue.hpp"
#include "csrc/simd/slots.hpp"

namespace prefrontal::control {

inline constexpr int64_t kFolded = sizeof(simd::SlotTable) / sizeof(float);

// Both throw c10::ValueError naming the argument that does not fit.
void check_read(const char* name, const at::Tensor& x, const at::Tensor& folded, int64_t width);
void check_out(const at::Tensor& z, const at::Tensor& action, const at::Tensor& terrain);

// A read that was checked, contents of the table included.
class FoldedRead {
 public:
  FoldedRead(const char* name, const at::Tensor& x, const at::Tensor& folded, int64_t width,
             Numbers& numbers);
  // What is null is left out.
  void into(float* action, float* terrain, float* context) const;

 private:
  const simd::SlotTable* table_;
  int rows_;
  const float* x_;
  at::Tensor aligned_;
};

// Into given contiguous tensors, apart from z in memory.
void folded_cue_context_out(const at::Tensor& z, const at::Tensor& folded, at::Tensor& action,
                            at::Tensor& terrain);

}  // namespace prefrontal::control
