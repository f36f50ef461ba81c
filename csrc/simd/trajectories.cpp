// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/trajectories.hpp"

#include "csrc/simd/across.hpp"
#include "csrc/simd/lanes.hpp"
#include "csrc/simd/operators.hpp"
#include "csrc/simd/residue.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

namespace prefrontal::simd {
namespace {

template <int B>
PREFRONTAL_INLINE void head_of(const StateHead& head, const float* x, v16 (&out)[B]) {
  headed<B>({head.w1, kState, kState, head.hidden, head.b1}, head.w2, head.b2[0], x, out);
  if (!head.sigmoid) return;
  for (int b = 0; b < B; ++b) out[b] = sigmoid_of(out[b]);
}

template <int B>
PREFRONTAL_INLINE void nearness(const float* goal, const float* x, v16 (&out)[B]) {
  over_units<B>({goal, kState, kState, 1, nullptr}, x, SquaredDifference{},
                [&](int, const v16(&square)[B]) {
                  for (int b = 0; b < B; ++b) out[b] = splat(1.0f) / (splat(1.0f) + square[b]);
                });
}

// |to - from|^2
PREFRONTAL_INLINE float moved(const float* from, const float* to) {
  const v16 low = load(to) - load(from);
  const v16 high = load(to + kLanes) - load(from + kLanes);
  return total(low * low + high * high);
}

struct Pass {
  const TrajectoryParts& parts;
  const float* world_states;
  int states;
  float* scores;

  // Adds the values of `count` rows from `first` on to one column, row by row.
  template <int B>
  PREFRONTAL_INLINE void add(const v16 (&values)[B], long first, int count, int column) const {
    float lanes[B * kLanes];
    for (int b = 0; b < B; ++b) store(values[b], lanes + b * kLanes);
    for (int r = 0; r < count; ++r) scores[(first + r) / states * kScores + column] += lanes[r];
  }

  template <int B>
  PREFRONTAL_INLINE void rows(long first, int count) const {
    const float* from = world_states + first * kState;
    float x[kState * B * kLanes];
    side_by_side<B>(from, count, kState, x);
    for (int r = 0; r < count; ++r) {
      const long row = first + r;
      if (row % states != 0)
        scores[row / states * kScores] += moved(from + (r - 1) * kState, from + r * kState);
    }
    v16 values[B];
    if (parts.harm) {
      head_of<B>(*parts.harm, x, values);
      add<B>(values, first, count, 1);
    }
    if (parts.residue) {
      residue_of<B>(*parts.residue, x, values);
      add<B>(values, first, count, 2);
    }
    if (parts.benefit) {
      head_of<B>(*parts.benefit, x, values);
      add<B>(values, first, count, 3);
    }
    if (parts.goal) {
      nearness<B>(parts.goal, x, values);
      add<B>(values, first, count, 4);
    }
  }
};

void score(const TrajectoryParts& parts, const float* world_states, int trajectories, int states,
           float* scores) {
  for (long at = 0; at < static_cast<long>(trajectories) * kScores; ++at) scores[at] = 0.0f;
  const Pass pass = {parts, world_states, states, scores};
  const long rows = static_cast<long>(trajectories) * states;
  long row = 0;
  for (; rows - row > kLanes * (kMostBlocks - 1); row += kLanes * kMostBlocks) {
    const long left = rows - row;
    const int most = kLanes * kMostBlocks;
    pass.rows<kMostBlocks>(row, left < most ? static_cast<int>(left) : most);
  }
  if (row < rows) pass.rows<1>(row, static_cast<int>(rows - row));
  if (states < 2) return;
  for (int n = 0; n < trajectories; ++n) scores[n * kScores] /= static_cast<float>(states - 1);
}

}  // namespace

extern const TrajectoryKernels PREFRONTAL_JOIN(trajectories_, PREFRONTAL_ISA) = {score};

}  // namespace prefrontal::simd
