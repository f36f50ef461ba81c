// Proposals of action sequences by the cross-entropy method in the space of action objects.
//
// Iterations draw candidates, roll them out and keep the elites, those with the least residue; mean
// and std follow the elites' action objects. The last iteration's candidates are the proposals.
#pragma once

#include "csrc/simd/rollouts.hpp"

namespace prefrontal::control {

struct Proposal {
  simd::E2Layers e2;
  simd::Affine decoder[2];
  simd::StateResidue residue;
  int iterations;  // >= 1
  int candidates;
  int steps;
  int elites;  // 2 to candidates
  const float* z_self;
  const float* z_world;
  const float* mean;   // steps x objects; the first std is 1
  const float* noise;  // iterations x candidates x steps x objects
  const float* bias;   // objects, or null
  float* states;       // candidates x (steps + 1) x self
  float* world_states;
  float* actions;  // candidates x steps x actions
  float* objects;
  float* scores;  // candidates
};

void propose(const Proposal& asked);

}  // namespace prefrontal::control
