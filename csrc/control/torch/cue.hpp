// What context_read, cue_context and terrain_step share: their arguments, the plain forms in ATen,
// and the kernel's view of them. Formulas in csrc/simd/cue_training.hpp.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <memory>
#include <tuple>
#include <vector>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/simd/cue_training.hpp"

namespace prefrontal::control {

// The arguments of a call, in the order of the schemas: x and the memory, the heads, the options.
#define PREFRONTAL_MEMORY_SCHEMA                                              \
  "Tensor slots, Tensor query_weight, Tensor query_bias, Tensor key_weight, " \
  "Tensor value_weight, Tensor value_bias, Tensor output_weight, Tensor output_bias, "
#define PREFRONTAL_HEADS_SCHEMA \
  "Tensor action_weight, Tensor action_bias, Tensor terrain_weight, Tensor terrain_bias, "
#define PREFRONTAL_OPTIONS_SCHEMA "Tensor? key_bias=None, Tensor? log_tau=None, bool cosine=False"

struct CueHeads {
  const at::Tensor* action_weight;  // null with its bias: there is no action head
  const at::Tensor* action_bias;
  const at::Tensor* terrain_weight;  // null: the context is what comes out
  const at::Tensor* terrain_bias;

  explicit operator bool() const { return terrain_weight != nullptr; }
};

struct CueInputs {
  CueInputs(const char* name, const at::Tensor& x, const at::Tensor& slots,
            const at::Tensor& query_weight, const at::Tensor& query_bias,
            const at::Tensor& key_weight, const at::Tensor& value_weight,
            const at::Tensor& value_bias, const at::Tensor& output_weight,
            const at::Tensor& output_bias, const CueHeads& heads, const OptionalTensor& key_bias,
            const OptionalTensor& log_tau, bool cosine)
      : name(name),
        x(x),
        slots(slots),
        query_weight(query_weight),
        query_bias(query_bias),
        key_weight(key_weight),
        value_weight(value_weight),
        value_bias(value_bias),
        output_weight(output_weight),
        output_bias(output_bias),
        heads(heads),
        key_bias(key_bias),
        log_tau(log_tau),
        cosine(cosine) {}

  const char* name;     // of x in errors
  const at::Tensor& x;  // [B, Q]
  const at::Tensor& slots;
  const at::Tensor& query_weight;
  const at::Tensor& query_bias;
  const at::Tensor& key_weight;
  const at::Tensor& value_weight;
  const at::Tensor& value_bias;
  const at::Tensor& output_weight;
  const at::Tensor& output_bias;
  CueHeads heads;
  const OptionalTensor& key_bias;
  const OptionalTensor& log_tau;
  bool cosine;

  // Of x, the memory and the heads, null for heads that are not there.
  using Tensors = std::array<const at::Tensor*, 13>;
  Tensors tensors() const {
    return {&x,
            &slots,
            &query_weight,
            &query_bias,
            &key_weight,
            &value_weight,
            &value_bias,
            &output_weight,
            &output_bias,
            heads.action_weight,
            heads.action_bias,
            heads.terrain_weight,
            heads.terrain_bias};
  }
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

// Gradients like the tensors that are given: x, memory, heads, key_bias, log_tau.
std::vector<at::Tensor> gradients(const CueInputs& in, const simd::CueOutputs& out,
                                  const simd::CueOutputGradients& of_outputs);

}  // namespace prefrontal::control
