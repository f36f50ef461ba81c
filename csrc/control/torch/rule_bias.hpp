// rule_bias: bias_k = bound(w2 relu(w1 [rule, S_k] + b1) + b2); its formulas in ATen.
#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

namespace prefrontal::control {

struct BiasInputs {
  const at::Tensor& summaries;  // [K, S] or [N, K, S]
  const at::Tensor& rule;       // [1, R] or [N, R]
  const at::Tensor& w1;         // [H, R + S]
  const at::Tensor& b1;
  const at::Tensor& w2;  // [1, H]
  const at::Tensor& b2;
  double scale;
  bool tanh;
  bool centred;
};

using BiasGradients =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

// Throws c10::ValueError naming the argument that does not fit.
void check(const BiasInputs& in);
at::Tensor plain_bias(const BiasInputs& in);
// Of the six tensors, given that of the bias.
BiasGradients plain_bias_backward(const at::Tensor& grad, const BiasInputs& in);

}  // namespace prefrontal::control
