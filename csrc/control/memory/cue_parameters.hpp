// The parameters that reading the context memory takes, and their places in a list.
#pragma once

#include <vector>

#include "csrc/control/named_shape.hpp"

namespace prefrontal::control {

// In the order of the list; what follows key_bias belongs to the cue alone.
enum CuePart {
  kMemory,
  kQueryWeight,
  kQueryBias,
  kKeyWeight,
  kValueWeight,
  kValueBias,
  kOutputWeight,
  kOutputBias,
  kKeyBias,  // optional
  kLogTau,   // optional
  kActionWeight,
  kActionBias,
  kTerrainWeight,
  kTerrainBias,
};

struct CueLayout {
  bool cue = true;     // z_world in, action bias and terrain weight out; else state in, context out
  bool world = false;  // the action head reads z_world beside the context
  bool cosine = false;
  int memory_dim = 128;

  int inputs() const;
};

std::vector<NamedShape> cue_shapes(const CueLayout& layout);

}  // namespace prefrontal::control
