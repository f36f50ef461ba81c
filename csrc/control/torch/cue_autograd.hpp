// What the gradients of context_read and cue_context share.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/alias.h>

#include <initializer_list>
#include <vector>

#include "csrc/control/torch/cue.hpp"
#include "csrc/control/torch/operator.hpp"

namespace prefrontal::control {

template <class Signature>
c10::TypedOperatorHandle<Signature> found(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").template typed<Signature>();
}

inline at::Tensor or_undefined(const OptionalTensor& tensor) {
  return tensor ? *tensor : at::Tensor();
}

inline OptionalTensor or_none(const at::Tensor& tensor) {
  return tensor.defined() ? OptionalTensor(tensor) : std::nullopt;
}

inline bool any_tangent(const at::Tensor& tensor) { return has_tangent(tensor); }

inline bool any_tangent(const OptionalTensor& tensor) { return tensor && has_tangent(*tensor); }

template <class First, class... Rest>
bool any_tangent(const First& first, const Rest&... rest) {
  return any_tangent(first) || (any_tangent(rest) || ...);
}

using Optionals = at::ArrayRef<OptionalTensor>;

// What autograd tells apart from the tensor though it holds the same: a gradient of an alias is not
// that of another argument which the tensor was made of, nor of one that is the same tensor.
inline at::Tensor alias_of(const at::Tensor& tensor) {
  return tensor.requires_grad() ? at::alias(tensor) : tensor;
}

inline OptionalTensor alias_of(const OptionalTensor& tensor) {
  return tensor ? OptionalTensor(alias_of(*tensor)) : std::nullopt;
}

inline bool alias_of(bool setting) { return setting; }

template <class Function, class... Values>
auto with_aliases(const Function& function, const Values&... values) {
  return function(alias_of(values)...);
}

// The gradients of `inputs` (those that are given), with a graph of their own: autograd of
// `outputs`, which were made of them with a graph; no input is made of another. Zeros where an
// input wants no gradient.
std::vector<at::Tensor> gradients_with_graph(std::initializer_list<at::Tensor> outputs,
                                             Optionals of_outputs, Optionals inputs);

// Empty tensors like those that are given.
std::vector<at::Tensor> fake_gradients(Optionals inputs);

}  // namespace prefrontal::control
