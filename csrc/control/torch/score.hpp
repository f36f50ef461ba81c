// score_trajectories: F, M, Phi, B and G of trajectories; its formulas in ATen.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace prefrontal::control {

inline constexpr double kSmoothShare = 0.1;  // of the network in the residue

struct ScoreInputs {
  const at::Tensor& world_states;  // [N, T, D]
  at::TensorList harm;             // w1, b1, w2, b2
  at::TensorList residue;          // centres, centre_weights, w1, b1, w2, b2, w3, b3
  double bandwidth;
  at::TensorList benefit;                 // as harm, or none
  const std::optional<at::Tensor>& goal;  // [D]
  bool harm_sigmoid;
};

// Throws c10::ValueError naming the argument that does not fit.
void check(const ScoreInputs& in);
void check_residue(at::TensorList residue, double bandwidth, const c10::SymInt& width,
                   const at::Tensor& like);
at::Tensor plain_scores(const ScoreInputs& in);
// Of world_states, harm, residue, benefit and goal in this order, given that of the scores.
std::vector<at::Tensor> score_gradients(const at::Tensor& grad, const ScoreInputs& in);
// Of points [.., D]: [..].
at::Tensor plain_residue(const at::Tensor& x, at::TensorList residue, double bandwidth);

}  // namespace prefrontal::control
