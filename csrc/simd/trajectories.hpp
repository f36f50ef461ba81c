// What trajectories are worth, in one pass over their states, once for each instruction set.
// C headers only, like kernels.hpp.
//
//   F = mean_t |w_t+1 - w_t|^2      M, B = sum_t head(w_t)      Phi = sum_t residue(w_t)
//   G = sum_t 1 / (1 + |w_t - goal|^2)
#pragma once

namespace prefrontal::simd {

constexpr int kState = 32;        // numbers of a world state
constexpr int kMostHidden = 128;  // units of a hidden layer
constexpr int kScores = 5;        // F, M, Phi, B, G

// w2 . relu(w1 x + b1) + b2; matrices by rows, as torch keeps them.
struct StateHead {
  const float *w1, *b1, *w2, *b2;
  int hidden;
  bool sigmoid;
};

// sum_i weight_i exp(-|x - centre_i|^2 narrowness) + share softplus(network)
struct StateResidue {
  const float *centres, *weights;
  int places;
  float narrowness;
  float share;
  const float *w1, *b1, *w2, *b2, *w3, *b3;
  int hidden[2];
};

struct TrajectoryParts {
  const StateHead* harm;  // what is null scores 0
  const StateResidue* residue;
  const StateHead* benefit;
  const float* goal;  // kState
};

struct TrajectoryKernels {
  // world_states [trajectories, states, kState] to scores [trajectories, kScores]. A row does not
  // depend on the rows around it.
  void (*score)(const TrajectoryParts& parts, const float* world_states, int trajectories,
                int states, float* scores);
};

}  // namespace prefrontal::simd
