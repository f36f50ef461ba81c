// What the gradients of context_read and cue_context share.
#pragma once

#include <initializer_list>
#include <vector>

#include "csrc/control/torch/cue.hpp"

namespace prefrontal::control {

inline at::Tensor or_undefined(const OptionalTensor& tensor) {
  return tensor ? *tensor : at::Tensor();
}

inline OptionalTensor or_none(const at::Tensor& tensor) {
  return tensor.defined() ? OptionalTensor(tensor) : std::nullopt;
}

// What a backward pass needs of a call: all its tensors, undefined for an optional one that is not
// given, then `results`.
std::vector<at::Tensor> saved(const CueInputs& in, std::initializer_list<at::Tensor> results);

// The gradients of the tensors that are given, with a graph of their own: autograd of the outputs
// of `forward`. Zeros where an input wants no gradient.
using PlainForm = std::tuple<at::Tensor, at::Tensor> (*)(const CueInputs&);
std::vector<at::Tensor> gradients_with_graph(PlainForm forward,
                                             std::initializer_list<OptionalTensor> of_outputs,
                                             const CueInputs& in);

// Empty tensors like those that are given.
std::vector<at::Tensor> fake_gradients(const CueInputs& in);

}  // namespace prefrontal::control
