// rollout: the states, world states and action objects that E2 gives for many action sequences.
#include <ATen/ATen.h>

#include <limits>
#include <tuple>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/control/torch/rollout_layers.hpp"
#include "csrc/simd/operator_dispatch.hpp"

namespace prefrontal::control::rollout_operator {
namespace {

using at::Tensor;
using at::TensorList;
using Rollout = std::tuple<Tensor, Tensor, Tensor>;

// --- schema -----------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "rollout(Tensor z_self, Tensor z_world, Tensor actions, Tensor[] parameters, "
      "Tensor? bias=None) -> (Tensor, Tensor, Tensor)");
}

using Signature = Rollout(const Tensor&, const Tensor&, const Tensor&, TensorList,
                          const OptionalTensor&);

c10::TypedOperatorHandle<Signature> handle() {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("prefrontal::rollout", "").typed<Signature>();
  return op;
}

Rollout rollout(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
                TensorList parameters, const OptionalTensor& bias) {
  return handle().call(z_self, z_world, actions, parameters, bias);
}

void check(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
           TensorList parameters, const OptionalTensor& bias) {
  expect("z_self", z_self, {kAny, kAny});
  const c10::SymInt rows = z_self.sym_size(0);
  expect("z_world", z_world, {rows, kAny}, z_self);
  expect("actions", actions, {rows, kAny, kAny}, z_self);
  check_e2(parameters, z_self, z_self.sym_size(1), z_world.sym_size(1), actions.sym_size(2));
  check_bias(bias, rows, parameters);
}

// The three results, empty.
Rollout room(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
             TensorList parameters) {
  const c10::SymInt rows = actions.sym_size(0), steps = actions.sym_size(1);
  return {z_self.new_empty_symint({rows, steps + 1, z_self.sym_size(1)}),
          z_self.new_empty_symint({rows, steps + 1, z_world.sym_size(1)}),
          z_self.new_empty_symint({rows, steps, object_width(parameters)})};
}

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

Rollout plain(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
              TensorList parameters, const OptionalTensor& bias) {
  check(z_self, z_world, actions, parameters, bias);
  std::vector<Tensor> states = {z_self}, worlds = {z_world}, objects;
  for (const Tensor& action : actions.unbind(1)) {
    objects.push_back(action_object(worlds.back(), action, parameters, bias));
    states.push_back(next_self(states.back(), action, parameters));
    worlds.push_back(next_world(worlds.back(), action, parameters));
  }
  const Tensor found = objects.empty() ? std::get<2>(room(z_self, z_world, actions, parameters))
                                       : at::stack(objects, 1);
  return {at::stack(states, 1), at::stack(worlds, 1), found};
}

Rollout on_cpu(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
               TensorList parameters, const OptionalTensor& bias) {
  check(z_self, z_world, actions, parameters, bias);
  if (!on_kernel(z_self)) return plain(z_self, z_world, actions, parameters, bias);
  const Contiguous weights(parameters);
  const simd::E2Layers e2 = e2_layers(weights);
  if (!fits_kernel(e2) || actions.size(0) > std::numeric_limits<int>::max())
    return plain(z_self, z_world, actions, parameters, bias);
  const auto self = z_self.expect_contiguous(), world = z_world.expect_contiguous(),
             given = actions.expect_contiguous();
  const Tensor shift = bias.has_value() ? bias->contiguous() : Tensor();
  auto [states, worlds, objects] = room(z_self, z_world, actions, parameters);
  const bool each = bias.has_value() && shift.dim() == 2 && shift.size(0) > 1;
  simd::RolloutRows rows{};
  rows.rows = static_cast<int>(actions.size(0));
  rows.steps = static_cast<int>(actions.size(1));
  rows.z_self = self->const_data_ptr<float>();
  rows.self_stride = z_self.size(1);
  rows.z_world = world->const_data_ptr<float>();
  rows.world_stride = z_world.size(1);
  rows.bias = bias.has_value() ? shift.const_data_ptr<float>() : nullptr;
  rows.bias_stride = each ? shift.size(1) : 0;
  rows.given = given->const_data_ptr<float>();
  rows.states = states.mutable_data_ptr<float>();
  rows.world_states = worlds.mutable_data_ptr<float>();
  rows.objects = objects.mutable_data_ptr<float>();
  simd::operator_kernels().rollouts->roll(e2, rows);
  return {states, worlds, objects};
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) { m.impl("rollout", plain); }
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) { m.impl("rollout", plain); }
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("rollout", on_cpu); }

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("rollout", InFloat32<at::kCPU, Signature, rollout>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("rollout", InFloat32<at::kCUDA, Signature, rollout>::call);
}

// --- gradient: autograd follows the plain form, whose gradients have gradients
// ---------------------

Rollout with_graph(c10::DispatchKeySet keys, const Tensor& z_self, const Tensor& z_world,
                   const Tensor& actions, TensorList parameters, const OptionalTensor& bias) {
  if (recorded(z_self, z_world, actions, parameters, bias))
    return plain(z_self, z_world, actions, parameters, bias);
  return handle().redispatch(below_autograd(keys), z_self, z_world, actions, parameters, bias);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) { m.impl("rollout", with_graph); }

// --- fake: the shapes alone
// ------------------------------------------------------------------------

Rollout fake(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
             TensorList parameters, const OptionalTensor& bias) {
  check(z_self, z_world, actions, parameters, bias);
  return room(z_self, z_world, actions, parameters);
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) { m.impl("rollout", fake); }

}  // namespace
}  // namespace prefrontal::control::rollout_operator
