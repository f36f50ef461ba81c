// An operator for torch from its functions: a Traits says what differs, Operator registers the
// rest.
//
//   name, schema   for torch
//   Signature      Result(arguments), in the order of the schema
//   Inputs         the same as one thing, made of the arguments; what the functions below take
//   plain          in ATen: other dtypes and devices, vmap, and what autograd follows
//   on_cpu         the kernel, float32 on the CPU
//   record         optional, a template: autograd by an operator of its own. It takes whether only
//                  the plain form serves, and the arguments
//   fake           the shapes alone
//   kAutocast      whether it works in float32 under autocast, as torch's own that are sensitive do
#pragma once

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <optional>
#include <type_traits>
#include <vector>

namespace prefrontal::control {

using OptionalTensor = std::optional<at::Tensor>;

// --- what a call asks of autograd ---------------------------------------------------------------

inline bool has_tangent(const at::Tensor& tensor) { return tensor._fw_grad(/*level=*/0).defined(); }
inline bool wants_graph(const at::Tensor& tensor) {
  return tensor.requires_grad() || has_tangent(tensor);
}

template <class Predicate>
bool any_of(const at::Tensor& tensor, Predicate predicate) {
  return predicate(tensor);
}
template <class Predicate>
bool any_of(at::TensorList tensors, Predicate predicate) {
  for (const at::Tensor& tensor : tensors)
    if (predicate(tensor)) return true;
  return false;
}
template <class Predicate>
bool any_of(const OptionalTensor& tensor, Predicate predicate) {
  return tensor.has_value() && tensor->defined() && predicate(*tensor);
}
template <class Predicate, class Number>
  requires std::is_arithmetic_v<Number>
bool any_of(Number, Predicate) {
  return false;
}

// Whether an argument has a tangent: forward mode, which only the plain form follows.
template <class... Arguments>
bool any_tangent(const Arguments&... arguments) {
  return (any_of(arguments, has_tangent) || ...);
}

// Whether autograd records a call with these arguments.
template <class... Arguments>
bool recorded(const Arguments&... arguments) {
  return c10::GradMode::is_enabled() && (any_of(arguments, wants_graph) || ...);
}

// Whether torch.func transforms this call: its gradients follow the plain form alone.
inline bool in_transform() {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerBackMode);
}

// The keys of the same call without autograd.
inline c10::DispatchKeySet below_autograd(c10::DispatchKeySet keys) {
  return keys & c10::after_ADInplaceOrView_keyset;
}

inline bool on_kernel(const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat; }

// --- an operator --------------------------------------------------------------------------------

template <class Traits, class Signature = typename Traits::Signature>
class Operator;

template <class Traits, class Result, class... Arguments>
class Operator<Traits, Result(Arguments...)> {
 public:
  using Signature = Result(Arguments...);

  static const c10::TypedOperatorHandle<Signature>& handle() {
    static const auto found = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow(Traits::kName, "")
                                  .template typed<Signature>();
    return found;
  }
  static Result call(Arguments... arguments) { return handle().call(arguments...); }

  // Registered as long as this lives.
  Operator() {
    library(torch::Library::FRAGMENT, std::nullopt).def(Traits::kSchema);
    if constexpr (requires { &Traits::plain; }) {
      implement(c10::DispatchKey::CompositeExplicitAutograd, plain);
      implement(c10::DispatchKey::FuncTorchBatchedDecomposition, plain);
    }
    if constexpr (requires { &Traits::on_cpu; }) implement(c10::DispatchKey::CPU, on_cpu);
    if constexpr (requires { Traits::kAutocast; }) {
      implement(c10::DispatchKey::AutocastCPU, in_float32<at::kCPU>);
      implement(c10::DispatchKey::AutocastCUDA, in_float32<at::kCUDA>);
    }
    if constexpr (requires { &Traits::plain; } || records)
      implement(c10::DispatchKey::Autograd, with_graph);
    implement(c10::DispatchKey::Meta, fake);
  }

 private:
  using Inputs = typename Traits::Inputs;
  static constexpr bool records =
      requires(Arguments... arguments) { Traits::record(false, arguments...); };

  static Result plain(Arguments... arguments) { return Traits::plain(Inputs{arguments...}); }
  static Result on_cpu(Arguments... arguments) { return Traits::on_cpu(Inputs{arguments...}); }
  static Result fake(Arguments... arguments) { return Traits::fake(Inputs{arguments...}); }

  static Result with_graph(c10::DispatchKeySet keys, Arguments... arguments) {
    if (!recorded(arguments...)) return handle().redispatch(below_autograd(keys), arguments...);
    if constexpr (records) {
      return Traits::record(in_transform() || any_tangent(arguments...), arguments...);
    } else {
      return plain(arguments...);
    }
  }

  template <at::DeviceType device>
  static Result in_float32(Arguments... arguments) {
    using at::autocast::CastPolicy;
    return at::autocast::WrapFunction<CastPolicy::fp32, device, Signature, Signature,
                                      &call>::type::call(arguments...);
  }

  torch::Library& library(torch::Library::Kind kind, std::optional<c10::DispatchKey> key) {
    return libraries_.emplace_back(kind, "prefrontal", key, __FILE__, __LINE__);
  }
  void implement(c10::DispatchKey key, auto* function) {
    library(torch::Library::IMPL, key).impl(Traits::kName, function);
  }

  std::vector<torch::Library> libraries_;
};

}  // namespace prefrontal::control
