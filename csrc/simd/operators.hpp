// The kernels that only the operators for torch call: linked into prefrontal._torch, so that a
// build without torch does not pay for them. C headers only, like kernels.hpp.
#pragma once

#include "csrc/simd/cue_training.hpp"
#include "csrc/simd/rollouts.hpp"
#include "csrc/simd/sequences.hpp"
#include "csrc/simd/trajectories.hpp"

namespace prefrontal::simd {

struct OperatorKernels {
  const char* name;
  const CueTrainingKernels* cue_training;
  const RolloutKernels* rollouts;
  const SequenceKernels* sequences;
  const TrajectoryKernels* trajectories;
};

extern const OperatorKernels operators_scalar;
extern const OperatorKernels operators_base;
extern const OperatorKernels operators_v3;  // on x86-64 only, like v4
extern const OperatorKernels operators_v4;

extern const CueTrainingKernels cue_training_scalar;
extern const CueTrainingKernels cue_training_base;
extern const CueTrainingKernels cue_training_v3;
extern const CueTrainingKernels cue_training_v4;

extern const RolloutKernels rollouts_scalar;
extern const RolloutKernels rollouts_base;
extern const RolloutKernels rollouts_v3;
extern const RolloutKernels rollouts_v4;

extern const SequenceKernels sequences_scalar;
extern const SequenceKernels sequences_base;
extern const SequenceKernels sequences_v3;
extern const SequenceKernels sequences_v4;

extern const TrajectoryKernels trajectories_scalar;
extern const TrajectoryKernels trajectories_base;
extern const TrajectoryKernels trajectories_v3;
extern const TrajectoryKernels trajectories_v4;

}  // namespace prefrontal::simd
