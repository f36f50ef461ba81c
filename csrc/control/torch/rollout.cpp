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

struct RolloutInputs {
  const Tensor& z_self;
  const Tensor& z_world;
  const Tensor& actions;
  TensorList parameters;
  const OptionalTensor& bias;
};

void check(const RolloutInputs& in) {
  expect("z_self", in.z_self, {kAny, kAny});
  const c10::SymInt rows = in.z_self.sym_size(0);
  expect("z_world", in.z_world, {rows, kAny}, in.z_self);
  expect("actions", in.actions, {rows, kAny, kAny}, in.z_self);
  check_e2(in.parameters, in.z_self, in.z_self.sym_size(1), in.z_world.sym_size(1),
           in.actions.sym_size(2));
  check_bias(in.bias, rows, in.parameters);
}

// The three results, empty.
Rollout room(const RolloutInputs& in) {
  const c10::SymInt rows = in.actions.sym_size(0), steps = in.actions.sym_size(1);
  return {in.z_self.new_empty_symint({rows, steps + 1, in.z_self.sym_size(1)}),
          in.z_self.new_empty_symint({rows, steps + 1, in.z_world.sym_size(1)}),
          in.z_self.new_empty_symint({rows, steps, object_width(in.parameters)})};
}

struct E2Rollout {
  static constexpr auto kName = "prefrontal::rollout";
  static constexpr auto kSchema =
      "rollout(Tensor z_self, Tensor z_world, Tensor actions, Tensor[] parameters, "
      "Tensor? bias=None) -> (Tensor, Tensor, Tensor)";
  static constexpr bool kAutocast = true;
  using Signature = Rollout(const Tensor& z_self, const Tensor& z_world, const Tensor& actions,
                            TensorList parameters, const OptionalTensor& bias);
  using Inputs = RolloutInputs;

  static Rollout plain(const RolloutInputs& in) {
    check(in);
    std::vector<Tensor> states = {in.z_self}, worlds = {in.z_world}, objects;
    for (const Tensor& action : in.actions.unbind(1)) {
      objects.push_back(action_object(worlds.back(), action, in.parameters, in.bias));
      states.push_back(next_self(states.back(), action, in.parameters));
      worlds.push_back(next_world(worlds.back(), action, in.parameters));
    }
    const Tensor found = objects.empty() ? std::get<2>(room(in)) : at::stack(objects, 1);
    return {at::stack(states, 1), at::stack(worlds, 1), found};
  }

  static Rollout on_cpu(const RolloutInputs& in) {
    check(in);
    if (!on_kernel(in.z_self)) return plain(in);
    const Contiguous weights(in.parameters);
    const simd::E2Layers e2 = e2_layers(weights);
    if (!fits_kernel(e2) || in.actions.size(0) > std::numeric_limits<int>::max()) return plain(in);
    const auto self = in.z_self.expect_contiguous(), world = in.z_world.expect_contiguous(),
               given = in.actions.expect_contiguous();
    const Tensor shift = in.bias.has_value() ? in.bias->contiguous() : Tensor();
    auto [states, worlds, objects] = room(in);
    const bool each = in.bias.has_value() && shift.dim() == 2 && shift.size(0) > 1;
    simd::RolloutRows rows{};
    rows.rows = static_cast<int>(in.actions.size(0));
    rows.steps = static_cast<int>(in.actions.size(1));
    rows.z_self = self->const_data_ptr<float>();
    rows.self_stride = in.z_self.size(1);
    rows.z_world = world->const_data_ptr<float>();
    rows.world_stride = in.z_world.size(1);
    rows.bias = in.bias.has_value() ? shift.const_data_ptr<float>() : nullptr;
    rows.bias_stride = each ? shift.size(1) : 0;
    rows.given = given->const_data_ptr<float>();
    rows.states = states.mutable_data_ptr<float>();
    rows.world_states = worlds.mutable_data_ptr<float>();
    rows.objects = objects.mutable_data_ptr<float>();
    simd::operator_kernels().rollouts->roll(e2, rows);
    return {states, worlds, objects};
  }

  static Rollout fake(const RolloutInputs& in) {
    check(in);
    return room(in);
  }
};

const Operator<E2Rollout> rollout;

}  // namespace
}  // namespace prefrontal::control::rollout_operator
