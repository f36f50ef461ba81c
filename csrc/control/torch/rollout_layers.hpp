// E2's layers as the operators get them: 18 tensors, weight and bias in turn, in the order of
// ops/rollouts.py's E2_PARAMETERS.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/SymInt.h>

#include <optional>

#include "csrc/control/torch/state_weights.hpp"
#include "csrc/simd/rollouts.hpp"

namespace prefrontal::control {

using OptionalTensor = std::optional<at::Tensor>;

// They fit each other, states and actions of these widths, and `like`. Throws c10::ValueError.
void check_e2(at::TensorList parameters, const at::Tensor& like, const c10::SymInt& self,
              const c10::SymInt& world, const c10::SymInt& action);
// One action object, or one for each of the rows.
void check_bias(const OptionalTensor& bias, const c10::SymInt& rows, at::TensorList parameters);
c10::SymInt object_width(at::TensorList parameters);

// The plain forms: ATen's operators, for rows.
at::Tensor mlp(const at::Tensor& x, at::TensorList layers);
at::Tensor next_self(const at::Tensor& z_self, const at::Tensor& action, at::TensorList e2);
at::Tensor next_world(const at::Tensor& z_world, const at::Tensor& action, at::TensorList e2);
at::Tensor action_object(const at::Tensor& z_world, const at::Tensor& action, at::TensorList e2,
                         const OptionalTensor& bias);

// The layer whose weight stands at `at`, with its bias behind it.
simd::Affine layer_at(const Contiguous& tensors, size_t at);
simd::E2Layers e2_layers(const Contiguous& parameters);
// Whether the kernel has room for them.
bool fits_kernel(const simd::E2Layers& e2);

}  // namespace prefrontal::control
