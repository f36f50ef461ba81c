// propose: action sequences by the cross-entropy method, rolled out by E2
// (csrc/control/choice/proposal.hpp).
#include <ATen/ATen.h>

#include <limits>
#include <sstream>
#include <tuple>

#include "csrc/control/choice/proposal.hpp"
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

struct ProposalInputs {
  const Tensor& z_self;
  const Tensor& z_world;
  const Tensor& mean;
  const Tensor& noise;
  TensorList decoder;
  TensorList parameters;
  TensorList residue;
  int64_t n_elite;
  const OptionalTensor& bias;
  double bandwidth;
};

void check_decoder(TensorList decoder, const Tensor& mean) {
  expect_count("decoder", decoder, {"w1", "b1", "w2", "b2"});
  expect("decoder's w1", decoder[0], {kAny, mean.sym_size(1)}, mean);
  expect("decoder's b1", decoder[1], {decoder[0].sym_size(0)}, mean);
  expect("decoder's w2", decoder[2], {kAny, decoder[0].sym_size(0)}, mean);
  expect("decoder's b2", decoder[3], {decoder[2].sym_size(0)}, mean);
}

void check(const ProposalInputs& in) {
  expect("z_self", in.z_self, {1, kAny});
  expect("z_world", in.z_world, {1, kAny}, in.z_self);
  expect("mean", in.mean, {kAny, kAny}, in.z_self);
  expect("noise", in.noise, {kAny, kAny, in.mean.sym_size(0), in.mean.sym_size(1)}, in.z_self);
  TORCH_CHECK_VALUE(in.noise.sym_size(0) > 0 && in.noise.sym_size(2) > 0,
                    "noise must have an iteration and a step, got ", in.noise.sym_sizes());
  TORCH_CHECK_VALUE(in.n_elite >= 2 && in.noise.sym_size(1) >= in.n_elite,
                    "n_elite must be from 2 to ", in.noise.sym_size(1), " candidates, got ",
                    in.n_elite);
  check_decoder(in.decoder, in.mean);
  check_e2(in.parameters, in.z_self, in.z_self.sym_size(1), in.z_world.sym_size(1),
           in.decoder[2].sym_size(0));
  expect("parameters' object_weight_2", in.parameters[16], {in.mean.sym_size(1), kAny});
  check_residue(in.residue, in.bandwidth, in.z_world.sym_size(1), in.z_self);
  check_bias(in.bias, 1, in.parameters);
}

// The five results, empty.
Results room(const ProposalInputs& in) {
  const c10::SymInt rows = in.noise.sym_size(1), steps = in.noise.sym_size(2);
  const auto empty = [&](std::initializer_list<c10::SymInt> sizes) {
    return in.z_self.new_empty_symint(sizes);
  };
  return {empty({rows, steps + 1, in.z_self.sym_size(1)}),
          empty({rows, steps + 1, in.z_world.sym_size(1)}),
          empty({rows, steps, in.decoder[2].sym_size(0)}),
          empty({rows, steps, in.noise.sym_size(3)}), empty({rows})};
}

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

bool fits(const Proposal& asked, TensorList residue, const Tensor& noise) {
  return fits_kernel(asked.e2) && residue[0].size(1) == simd::kState && narrow(residue, 2) &&
         narrow(residue, 4) && asked.decoder[0].units <= simd::kMostHidden &&
         noise.numel() <= std::numeric_limits<int>::max();
}

struct Propose {
  static constexpr auto kName = "prefrontal::propose";
  static constexpr auto kSchema =
      "propose(Tensor z_self, Tensor z_world, Tensor mean, Tensor noise, Tensor[] decoder, "
      "Tensor[] parameters, Tensor[] residue, int n_elite, Tensor? bias=None, "
      "float bandwidth=1.0) -> (Tensor, Tensor, Tensor, Tensor, Tensor)";
  static constexpr bool kAutocast = true;
  using Signature = Results(const Tensor& z_self, const Tensor& z_world, const Tensor& mean,
                            const Tensor& noise, TensorList decoder, TensorList parameters,
                            TensorList residue, int64_t n_elite, const OptionalTensor& bias,
                            double bandwidth);
  using Inputs = ProposalInputs;

  static Results plain(const ProposalInputs& in) {
    check(in);
    const Plain e2 = {in.parameters, in.residue, in.bias, in.bandwidth};
    const c10::SymInt rows = in.noise.sym_size(1);
    const Tensor world = in.z_world.expand_symint({rows, in.z_world.sym_size(1)});
    const std::vector<Tensor> draws = in.noise.unbind(0);
    Tensor centre = in.mean, std = at::ones_like(in.mean);
    for (size_t iteration = 0; iteration + 1 < draws.size(); ++iteration) {
      const Tensor actions = mlp(centre + std * draws[iteration], in.decoder);
      const Tensor worlds = e2.worlds(world, actions);
      const Tensor order = at::argsort(e2.scores(worlds), /*stable=*/true, /*dim=*/0);
      const Tensor elites = order.narrow(0, 0, in.n_elite);
      const Tensor refitted =
          e2.objects(worlds.index_select(0, elites), actions.index_select(0, elites));
      centre = refitted.mean(0);
      std = at::std(refitted, /*dim=*/0) + kSmallestStd;
    }
    const Tensor actions = mlp(centre + std * draws.back(), in.decoder);
    std::vector<Tensor> states = {in.z_self.expand_symint({rows, in.z_self.sym_size(1)})};
    for (const Tensor& action : actions.unbind(1))
      states.push_back(next_self(states.back(), action, in.parameters));
    const Tensor worlds = e2.worlds(world, actions);
    return {at::stack(states, 1), worlds, actions, e2.objects(worlds, actions), e2.scores(worlds)};
  }

  static Results on_cpu(const ProposalInputs& in) {
    check(in);
    const auto in_torch = [&] { return plain(in); };
    if (!on_kernel(in.z_self)) return in_torch();
    const auto self = in.z_self.expect_contiguous(), world = in.z_world.expect_contiguous(),
               centre = in.mean.expect_contiguous(), draws = in.noise.expect_contiguous();
    const Contiguous weights(in.parameters), decoding(in.decoder);
    const ResidueWeights field(in.residue, in.bandwidth);
    const Tensor shift = in.bias.has_value() ? in.bias->contiguous() : Tensor();
    Proposal asked{};
    asked.e2 = e2_layers(weights);
    asked.decoder[0] = layer_at(decoding, 0);
    asked.decoder[1] = layer_at(decoding, 2);
    if (!fits(asked, in.residue, in.noise)) return in_torch();
    asked.residue = field.residue;
    asked.iterations = static_cast<int>(in.noise.size(0));
    asked.candidates = static_cast<int>(in.noise.size(1));
    asked.steps = static_cast<int>(in.noise.size(2));
    asked.elites = static_cast<int>(in.n_elite);
    asked.z_self = self->const_data_ptr<float>();
    asked.z_world = world->const_data_ptr<float>();
    asked.mean = centre->const_data_ptr<float>();
    asked.noise = draws->const_data_ptr<float>();
    asked.bias = in.bias.has_value() ? shift.const_data_ptr<float>() : nullptr;
    Results results = room(in);
    asked.states = std::get<0>(results).mutable_data_ptr<float>();
    asked.world_states = std::get<1>(results).mutable_data_ptr<float>();
    asked.actions = std::get<2>(results).mutable_data_ptr<float>();
    asked.objects = std::get<3>(results).mutable_data_ptr<float>();
    asked.scores = std::get<4>(results).mutable_data_ptr<float>();
    propose(asked);
    return results;
  }

  static Results fake(const ProposalInputs& in) {
    check(in);
    return room(in);
  }
};

const Operator<Propose> propose_operator_;

}  // namespace
}  // namespace prefrontal::control::propose_operator
