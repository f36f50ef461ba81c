// The gated rule state and its bias over candidates, once for each instruction set. C headers
// only, like kernels.hpp.
//
//   rule <- keep rule + step (P [z_delta z_world] + p)
//   bias_k = bound(h . relu(W_r rule + W_s S_k + b) + h_0)
#pragma once

namespace prefrontal::simd {

constexpr int kRule = 16;
constexpr int kHidden = 32;
constexpr int kSummary = 32;  // of a candidate; also z_delta and z_world

// Matrices by columns, so that sixteen results stand side by side.
struct alignas(64) RuleTable {
  float source[2 * kSummary][kRule];
  float source_start[kRule];
  float rule[kRule][kHidden];
  float summary[kSummary][kHidden];
  float start[kHidden];
  float head[kHidden];
  float head_start;
  float scale;   // the bias stays within -scale..scale
  float offset;  // added after that
  bool smooth;   // scale tanh(x / scale) instead of the nearer end
};

// The same parameters as torch keeps them, matrices by rows; nothing is folded or copied.
struct RuleWeights {
  const float *delta, *delta_start;  // kRule x kSummary, kRule
  const float *world, *world_start;
  float pool;
};

struct BiasWeights {
  const float *w1, *b1;  // kHidden x (kRule + kSummary), kHidden
  const float *w2, *b2;  // kHidden, 1
  float scale;
  bool smooth;
};

struct RuleKernels {
  // Moves `rule` and gives true; false, and `rule` as it was, where the result is not finite.
  bool (*update)(const RuleTable& table, const float* z_delta, const float* z_world, float keep,
                 float step, float* rule);
  // hidden = W_r rule + b: what all candidates share.
  void (*shared)(const RuleTable& table, const float* rule, float* hidden);
  // The biases of n candidates; `summaries` null: none is read, and all have the same.
  void (*bias)(const RuleTable& table, const float* hidden, const float* summaries, int n,
               float* biases);
  // moved = keep rule + step (delta z_delta + pool world z_world), whatever comes of it.
  void (*update_by)(const RuleWeights& weights, const float* z_delta, const float* z_world,
                    float keep, float step, const float* rule, float* moved);
  // The biases of n candidates; for many at a time.
  void (*bias_by)(const BiasWeights& weights, const float* rule, const float* summaries, int n,
                  float* biases);
};

}  // namespace prefrontal::simd
