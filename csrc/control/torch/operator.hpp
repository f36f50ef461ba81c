// What every operator's registration needs: which call wants a graph, and how to go on below.
#pragma once

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

namespace prefrontal::control {

// Whether some tensor has a tangent: forward mode, which only the plain form follows.
template <class... Tensors>
bool has_tangent(const Tensors&... tensors) {
  return (tensors._fw_grad(/*level=*/0).defined() || ...);
}

// Whether torch.func transforms this call: its gradients follow the plain form alone.
inline bool in_transform() {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerBackMode);
}

inline bool wants_graph(const at::Tensor& tensor) {
  return tensor.requires_grad() || has_tangent(tensor);
}

inline bool wants_graph(at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors)
    if (wants_graph(tensor)) return true;
  return false;
}

inline bool wants_graph(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() && tensor->defined() && wants_graph(*tensor);
}

// Whether autograd records a call with these tensors.
template <class... Tensors>
bool recorded(const Tensors&... tensors) {
  return c10::GradMode::is_enabled() && (wants_graph(tensors) || ...);
}

// The keys of the same call without autograd.
inline c10::DispatchKeySet below_autograd(c10::DispatchKeySet keys) {
  return keys & c10::after_ADInplaceOrView_keyset;
}

inline bool on_kernel(const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat; }

// Under autocast the operators work in float32, as torch's own that are sensitive do.
template <at::DeviceType device, class Signature, Signature* call>
using InFloat32 = typename at::autocast::WrapFunction<at::autocast::CastPolicy::fp32, device,
                                                      Signature, Signature, call>::type;

}  // namespace prefrontal::control
