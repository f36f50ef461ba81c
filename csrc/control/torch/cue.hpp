// What context_read, cue_context and terrain_step share: their arguments, the plain forms in ATen,
// and the kernel's view of them. Formulas in csrc/simd/cue_training.hpp.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "csrc/simd/cue_training.hpp"

namespace prefrontal::control {

using OptionalTensor = std::optional<at::Tensor>;

struct CueHeads {
  const at::Tensor* action_weight;  // null with its bias: there is no action head
  const at::Tensor* action_bias;
  const at::Tensor* terrain_weight;
  const at::Tensor* terrain_bias;
};

struct CueInputs {
  const char* name;     // of x in errors
  const at::Tensor& x;  // [B, Q]
  const at::Tensor& memory;
  const at::Tensor& query_weight;
  const at::Tensor& query_bias;
  const at::Tensor& key_weight;
  const at::Tensor& value_weight;
  const at::Tensor& value_bias;
  const at::Tensor& output_weight;
  const at::Tensor& output_bias;
  const CueHeads* heads;  // null: the context is what comes out
  const OptionalTensor& key_bias;
  const OptionalTensor& log_tau;
  bool cosine;
};

// Throws c10::ValueError naming the argument that does not fit.
void check(const CueInputs& in);
// Whether `check` has nothing against float32 tensors on the CPU; may say no to what it lets pass.
bool plainly_fits(const CueInputs& in);
// Whether the kernel takes such dtypes, devices and widths; else the plain form serves.
bool on_kernel(const CueInputs& in);
// Both, for the operators that serve a gradient: they have no plain form.
void check_backward(const CueInputs& in);

std::tuple<at::Tensor, at::Tensor> plain_read(const CueInputs& in);  // context, weights
std::tuple<at::Tensor, at::Tensor> plain_cue(const CueInputs& in);   // action, terrain

// Contiguous float32 on the CPU; what had to be copied lives as long as this.
class Numbers {
 public:
  const float* operator()(const at::Tensor& tensor);
  const float* operator()(const at::Tensor* tensor) { return tensor ? (*this)(*tensor) : nullptr; }
  const float* operator()(const OptionalTensor& tensor) {
    return tensor ? (*this)(*tensor) : nullptr;
  }

 private:
  c10::SmallVector<at::Tensor, 4> copies_;
};

// Fresh [rows of x, columns], float32 on the CPU.
at::Tensor rows_like(const at::Tensor& x, int64_t columns);

// The kernels on such arguments; `in` was checked and is on_kernel.
class CueCall {
 public:
  explicit CueCall(const CueInputs& in);

  const simd::CueShape& shape() const { return shape_; }
  void forward(const simd::CueOutputs& out) const;
  // Gives the gradient of log_tau, or 0 without one.
  float backward(const simd::CueOutputs& out, const simd::CueOutputGradients& gradients,
                 const simd::CueTensors<float>& into) const;

 private:
  Numbers numbers_;
  double log_tau_ = 0.0;
  bool learns_tau_ = false;
  simd::CueShape shape_{};
  simd::CueTensors<const float> tensors_{};
  std::unique_ptr<float[]> scratch_;
};

// Gradients like the arguments: x, memory, ... , the heads where there are any, then key_bias and
// log_tau where given.
std::vector<at::Tensor> gradients(const CueInputs& in, const simd::CueOutputs& out,
                                  const simd::CueOutputGradients& of_outputs);

}  // namespace prefrontal::control
