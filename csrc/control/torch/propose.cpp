// propose: action sequences by the cross-entropy method, rolled out by E2
// (csrc/control/proposal.hpp).
#include <ATen/ATen.h>

#include <limits>
#include <sstream>
#include <tuple>

#include "csrc/control/proposal.hpp"
#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/control/torch/rollout_layers.hpp"
#include "csrc/control/torch/score.hpp"
#include "csrc/control/torch/state_weights.hpp"

namespace prefrontal::control::propose_operator {
namespace {

using at::Tensor;
using at::TensorList;
using Results = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

constexpr double kSmallestStd = 1e-6;  // added to the deviation at each refit

// --- schema -----------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "propose(Tensor z_self, Tensor z_world, Tensor mean, Tensor noise, Tensor[] decoder, "
      "Tensor[] parameters, Tensor[] residue, int n_elite, Tensor? bias=None, "
      "float bandwidth=1.0) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
}

using Signature = Results(const Tensor&, const Tensor&, const Tensor&, const Tensor&, TensorList,
                          TensorList, TensorList, int64_t, const OptionalTensor&, double);

c10::TypedOperatorHandle<Signature> handle() {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("prefrontal::propose", "").typed<Signature>();
  return op;
}

Results propose_op(const Tensor& z_self, const Tensor& z_world, const Tensor& mean,
                   const Tensor& noise, TensorList decoder, TensorList parameters,
                   TensorList residue, int64_t n_elite, const OptionalTensor& bias,
                   double bandwidth) {
  return handle().call(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias,
                       bandwidth);
}

void check_decoder(TensorList decoder, const Tensor& mean) {
  expect_count("decoder", decoder, {"w1", "b1", "w2", "b2"});
  expect("decoder's w1", decoder[0], {kAny, mean.sym_size(1)}, mean);
  expect("decoder's b1", decoder[1], {decoder[0].sym_size(0)}, mean);
  expect("decoder's w2", decoder[2], {kAny, decoder[0].sym_size(0)}, mean);
  expect("decoder's b2", decoder[3], {decoder[2].sym_size(0)}, mean);
}

void check(const Tensor& z_self, const Tensor& z_world, const Tensor& mean, const Tensor& noise,
           TensorList decoder, TensorList parameters, TensorList residue, int64_t n_elite,
           const OptionalTensor& bias, double bandwidth) {
  expect("z_self", z_self, {1, kAny});
  expect("z_world", z_world, {1, kAny}, z_self);
  expect("mean", mean, {kAny, kAny}, z_self);
  expect("noise", noise, {kAny, kAny, mean.sym_size(0), mean.sym_size(1)}, z_self);
  TORCH_CHECK_VALUE(noise.sym_size(0) > 0 && noise.sym_size(2) > 0,
                    "noise must have an iteration and a step, got ", noise.sym_sizes());
  TORCH_CHECK_VALUE(n_elite >= 2 && noise.sym_size(1) >= n_elite, "n_elite must be from 2 to ",
                    noise.sym_size(1), " candidates, got ", n_elite);
  check_decoder(decoder, mean);
  check_e2(parameters, z_self, z_self.sym_size(1), z_world.sym_size(1), decoder[2].sym_size(0));
  expect("parameters' object_weight_2", parameters[16], {mean.sym_size(1), kAny});
  check_residue(residue, bandwidth, z_world.sym_size(1), z_self);
  check_bias(bias, 1, parameters);
}

// The five results, empty.
Results room(const Tensor& z_self, const Tensor& z_world, const Tensor& noise, TensorList decoder) {
  const c10::SymInt rows = noise.sym_size(1), steps = noise.sym_size(2);
  const auto empty = [&](std::initializer_list<c10::SymInt> sizes) {
    return z_self.new_empty_symint(sizes);
  };
  return {empty({rows, steps + 1, z_self.sym_size(1)}),
          empty({rows, steps + 1, z_world.sym_size(1)}),
          empty({rows, steps, decoder[2].sym_size(0)}), empty({rows, steps, noise.sym_size(3)}),
          empty({rows})};
}

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

struct Plain {
  TensorList parameters, residue;
  const OptionalTensor& bias;
  double bandwidth;

  Tensor worlds(const Tensor& z_world, const Tensor& actions) const {
    std::vector<Tensor> states = {z_world};
    for (const Tensor& action : actions.unbind(1))
      states.push_back(next_world(states.back(), action, parameters));
    return at::stack(states, 1);
  }

  Tensor scores(const Tensor& worlds) const {
    return plain_residue(worlds, residue, bandwidth).sum(1);
  }

  Tensor objects(const Tensor& worlds, const Tensor& actions) const {
    std::vector<Tensor> found;
    const std::vector<Tensor> states = worlds.unbind(1), steps = actions.unbind(1);
    for (size_t t = 0; t < steps.size(); ++t)
      found.push_back(action_object(states[t], steps[t], parameters, bias));
    return at::stack(found, 1);
  }
};

Results plain(const Tensor& z_self, const Tensor& z_world, const Tensor& mean, const Tensor& noise,
              TensorList decoder, TensorList parameters, TensorList residue, int64_t n_elite,
              const OptionalTensor& bias, double bandwidth) {
  check(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias, bandwidth);
  const Plain e2 = {parameters, residue, bias, bandwidth};
  const c10::SymInt rows = noise.sym_size(1);
  const Tensor world = z_world.expand_symint({rows, z_world.sym_size(1)});
  const std::vector<Tensor> draws = noise.unbind(0);
  Tensor centre = mean, std = at::ones_like(mean);
  for (size_t iteration = 0; iteration + 1 < draws.size(); ++iteration) {
    const Tensor actions = mlp(centre + std * draws[iteration], decoder);
    const Tensor worlds = e2.worlds(world, actions);
    const Tensor order = at::argsort(e2.scores(worlds), /*stable=*/true, /*dim=*/0);
    const Tensor elites = order.narrow(0, 0, n_elite);
    const Tensor refitted =
        e2.objects(worlds.index_select(0, elites), actions.index_select(0, elites));
    centre = refitted.mean(0);
    std = at::std(refitted, /*dim=*/0) + kSmallestStd;
  }
  const Tensor actions = mlp(centre + std * draws.back(), decoder);
  std::vector<Tensor> states = {z_self.expand_symint({rows, z_self.sym_size(1)})};
  for (const Tensor& action : actions.unbind(1))
    states.push_back(next_self(states.back(), action, parameters));
  const Tensor worlds = e2.worlds(world, actions);
  return {at::stack(states, 1), worlds, actions, e2.objects(worlds, actions), e2.scores(worlds)};
}

bool fits(const Proposal& asked, TensorList residue, const Tensor& noise) {
  return fits_kernel(asked.e2) && residue[0].size(1) == simd::kState && narrow(residue, 2) &&
         narrow(residue, 4) && asked.decoder[0].units <= simd::kMostHidden &&
         noise.numel() <= std::numeric_limits<int>::max();
}

Results on_cpu(const Tensor& z_self, const Tensor& z_world, const Tensor& mean, const Tensor& noise,
               TensorList decoder, TensorList parameters, TensorList residue, int64_t n_elite,
               const OptionalTensor& bias, double bandwidth) {
  check(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias, bandwidth);
  const auto in_torch = [&] {
    return plain(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias,
                 bandwidth);
  };
  if (!on_kernel(z_self)) return in_torch();
  const auto self = z_self.expect_contiguous(), world = z_world.expect_contiguous(),
             centre = mean.expect_contiguous(), draws = noise.expect_contiguous();
  const Contiguous weights(parameters), decoding(decoder);
  const ResidueWeights field(residue, bandwidth);
  const Tensor shift = bias.has_value() ? bias->contiguous() : Tensor();
  Proposal asked{};
  asked.e2 = e2_layers(weights);
  asked.decoder[0] = layer_at(decoding, 0);
  asked.decoder[1] = layer_at(decoding, 2);
  if (!fits(asked, residue, noise)) return in_torch();
  asked.residue = field.residue;
  asked.iterations = static_cast<int>(noise.size(0));
  asked.candidates = static_cast<int>(noise.size(1));
  asked.steps = static_cast<int>(noise.size(2));
  asked.elites = static_cast<int>(n_elite);
  asked.z_self = self->const_data_ptr<float>();
  asked.z_world = world->const_data_ptr<float>();
  asked.mean = centre->const_data_ptr<float>();
  asked.noise = draws->const_data_ptr<float>();
  asked.bias = bias.has_value() ? shift.const_data_ptr<float>() : nullptr;
  Results results = room(z_self, z_world, noise, decoder);
  asked.states = std::get<0>(results).mutable_data_ptr<float>();
  asked.world_states = std::get<1>(results).mutable_data_ptr<float>();
  asked.actions = std::get<2>(results).mutable_data_ptr<float>();
  asked.objects = std::get<3>(results).mutable_data_ptr<float>();
  asked.scores = std::get<4>(results).mutable_data_ptr<float>();
  propose(asked);
  return results;
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) { m.impl("propose", plain); }
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) { m.impl("propose", plain); }
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("propose", on_cpu); }

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("propose", InFloat32<at::kCPU, Signature, propose_op>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("propose", InFloat32<at::kCUDA, Signature, propose_op>::call);
}

// --- gradient: autograd follows the plain form, whose gradients have gradients
// ---------------------

Results with_graph(c10::DispatchKeySet keys, const Tensor& z_self, const Tensor& z_world,
                   const Tensor& mean, const Tensor& noise, TensorList decoder,
                   TensorList parameters, TensorList residue, int64_t n_elite,
                   const OptionalTensor& bias, double bandwidth) {
  if (recorded(z_self, z_world, mean, noise, decoder, parameters, residue, bias))
    return plain(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias,
                 bandwidth);
  return handle().redispatch(below_autograd(keys), z_self, z_world, mean, noise, decoder,
                             parameters, residue, n_elite, bias, bandwidth);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) { m.impl("propose", with_graph); }

// --- fake: the shapes alone
// ------------------------------------------------------------------------

Results fake(const Tensor& z_self, const Tensor& z_world, const Tensor& mean, const Tensor& noise,
             TensorList decoder, TensorList parameters, TensorList residue, int64_t n_elite,
             const OptionalTensor& bias, double bandwidth) {
  check(z_self, z_world, mean, noise, decoder, parameters, residue, n_elite, bias, bandwidth);
  return room(z_self, z_world, noise, decoder);
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) { m.impl("propose", fake); }

}  // namespace
}  // namespace prefrontal::control::propose_operator
