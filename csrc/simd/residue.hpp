// The residue of states that stand side by side in the lanes; the formula is StateResidue's.
#pragma once

#include "csrc/simd/lanes.hpp"
#include "csrc/simd/softplus.hpp"
#include "csrc/simd/trajectories.hpp"

namespace prefrontal::simd {
namespace {

// x: kState inputs of 16 B rows.
template <int B>
PREFRONTAL_INLINE void residue_of(const StateResidue& from, const float* x, v16 (&out)[B]) {
  float first[kMostHidden * B * kLanes];
  dense<B, true>({from.w1, kState, kState, from.hidden[0], from.b1}, x, first);
  headed<B>({from.w2, from.hidden[0], from.hidden[0], from.hidden[1], from.b2}, from.w3, from.b3[0],
            first, out);
  for (int b = 0; b < B; ++b) out[b] = splat(from.share) * softplus_of(out[b]);
  v16 marked[B];
  for (int b = 0; b < B; ++b) marked[b] = splat(0.0f);
  const v16 narrow = splat(-from.narrowness);
  over_units<B>({from.centres, kState, kState, from.places, nullptr}, x, SquaredDifference{},
                [&](int i, const v16(&square)[B]) {
                  for (int b = 0; b < B; ++b)
                    marked[b] = marked[b] + splat(from.weights[i]) * exp_of(square[b] * narrow);
                });
  for (int b = 0; b < B; ++b) out[b] = marked[b] + out[b];
}

}  // namespace
}  // namespace prefrontal::simd
