// Rollouts of E2 over many action sequences at once, once for each instruction set. C headers only,
// like kernels.hpp.
//
//   o_t = object([w_t a_t]) + bias;  s_t+1 = s_t + self([s_t A_s a_t]);  w_t+1 = w_t + world([w_t
//   A_w a_t]) drawn: a_t = decoder(mean_t + std_t noise_t);  scores = sum over t = 0..H of
//   residue(w_t)
#pragma once

#include "csrc/simd/trajectories.hpp"

namespace prefrontal::simd {

constexpr int kMostNumbers = 64;  // numbers of a state and an action, and of an action object

// W x + b, W by rows as torch keeps it.
struct Affine {
  const float* weight;
  const float* bias;
  int inputs;
  int units;  // up to kMostHidden
};

// With ReLU between the layers of a part.
struct E2Layers {
  Affine self_action;
  Affine self[3];
  Affine world_action;
  Affine world[2];
  Affine object[2];
};

struct Draws {
  Affine decoder[2];
  const float* mean;   // steps x objects
  const float* std;    // steps x objects
  const float* noise;  // rows x steps x objects
};

// The strides, in floats, are 0 where all rows share what they point to.
struct RolloutRows {
  int rows;
  int steps;
  const float* z_self;
  long self_stride;
  const float* z_world;
  long world_stride;
  const float* bias;  // of action objects, or null
  long bias_stride;
  const float* given;           // rows x steps x actions; null: they are drawn
  const Draws* draws;           // null: they are given
  const StateResidue* residue;  // null: no scores
  float* actions;               // drawn ones, rows x steps x actions
  float* states;                // rows x (steps + 1) x self; null: left out
  float* world_states;          // rows x (steps + 1) x world
  float* objects;               // rows x steps x objects; null: left out
  float* scores;                // rows
};

// Action objects of chosen rows of a rollout, at every step.
struct ChosenRows {
  const int* rows;
  int count;
  const RolloutRows* from;  // its actions and world states
  float* objects;           // count x steps x objects
};

struct RolloutKernels {
  // A row's results do not depend on the rows around it.
  void (*roll)(const E2Layers& e2, const RolloutRows& rows);
  void (*objects)(const E2Layers& e2, const ChosenRows& chosen);
};

}  // namespace prefrontal::simd
