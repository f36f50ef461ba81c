#include <ATen/ATen.h>

#include <string>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/score.hpp"

namespace prefrontal::control {

using at::Tensor;
using at::TensorList;

namespace {

Tensor hidden(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return at::relu(at::linear(x, weight, bias));
}

Tensor head(const Tensor& x, TensorList of) {
  return at::linear(hidden(x, of[0], of[1]), of[2], of[3]).squeeze(-1);
}

Tensor squares(const Tensor& x) { return x.square().sum(-1); }

// Weights and biases in turns; the last layer has one unit.
void check_layers(const char* name, TensorList layers, c10::SymInt width, const Tensor& like) {
  for (std::size_t i = 0; i < layers.size(); i += 2) {
    const std::string number = std::to_string(i / 2 + 1);
    const bool last = i + 2 == layers.size();
    const std::string weight = std::string(name) + " w" + number;
    expect(weight.c_str(), layers[i], {last ? 1 : kAny, width}, like);
    width = layers[i].sym_size(0);
    const std::string bias = std::string(name) + " b" + number;
    expect(bias.c_str(), layers[i + 1], {width}, like);
  }
}

}  // namespace

void check_residue(TensorList residue, double bandwidth, const c10::SymInt& width,
                   const Tensor& like) {
  expect_above("bandwidth", bandwidth, 0.0);
  expect_count("residue", residue,
               {"centres", "centre_weights", "w1", "b1", "w2", "b2", "w3", "b3"});
  expect("residue centres", residue[0], {kAny, width}, like);
  expect("residue centre_weights", residue[1], {residue[0].sym_size(0)}, like);
  check_layers("residue", residue.slice(2), width, like);
}

void check(const ScoreInputs& in) {
  const Tensor& like = in.world_states;
  expect("world_states", like, {kAny, kAny, kAny});
  TORCH_CHECK_VALUE(like.sym_size(1) > 0, "world_states must have at least one state, got shape ",
                    like.sym_sizes());
  const c10::SymInt width = like.sym_size(2);
  check_residue(in.residue, in.bandwidth, width, like);
  expect_count("harm", in.harm, {"w1", "b1", "w2", "b2"});
  check_layers("harm", in.harm, width, like);
  if (!in.benefit.empty()) {
    expect_count("benefit", in.benefit, {"w1", "b1", "w2", "b2"});
    check_layers("benefit", in.benefit, width, like);
  }
  if (in.goal) expect("goal", *in.goal, {width}, like);
}

Tensor plain_residue(const Tensor& x, TensorList residue, double bandwidth) {
  const Tensor distances = squares(x.unsqueeze(-2) - residue[0]);
  const Tensor near = at::exp(distances * (-0.5 / (bandwidth * bandwidth)));
  const Tensor top = hidden(hidden(x, residue[2], residue[3]), residue[4], residue[5]);
  const Tensor smooth = at::softplus(at::linear(top, residue[6], residue[7])).squeeze(-1);
  return (residue[1] * near).sum(-1) + kSmoothShare * smooth;
}

Tensor plain_scores(const ScoreInputs& in) {
  const Tensor& states = in.world_states;
  const c10::SymInt steps = states.sym_size(1) - 1;
  const Tensor step = states.narrow_symint(1, 1, steps) - states.narrow_symint(1, 0, steps);
  const Tensor moved = step.square().sum({1, 2});
  const Tensor none = at::zeros_like(moved);
  const Tensor raw = head(states, in.harm);
  const Tensor harm = (in.harm_sigmoid ? at::sigmoid(raw) : raw).sum(1);
  const Tensor phi = plain_residue(states, in.residue, in.bandwidth).sum(1);
  Tensor benefit = none, near = none;
  if (!in.benefit.empty()) benefit = at::sigmoid(head(states, in.benefit)).sum(1);
  if (in.goal) near = (squares(states - *in.goal) + 1.0).reciprocal().sum(1);
  const Tensor effort = steps > 1 ? moved / steps : moved;
  return at::stack({effort, harm, phi, benefit, near}, 1);
}

}  // namespace prefrontal::control
