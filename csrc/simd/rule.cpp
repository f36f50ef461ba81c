// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/rule.hpp"

#include "csrc/simd/across.hpp"
#include "csrc/simd/kernels.hpp"
#include "csrc/simd/lanes.hpp"
#include "csrc/simd/tanh.hpp"
#include "csrc/simd/v16.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

namespace prefrontal::simd {
namespace {

constexpr int kHalves = kHidden / kLanes;
constexpr int kAtOnce = kParts == 1 ? 8 : kParts == 2 ? 2 : 1;  // candidates that fit in registers

// The columns of one input, in two chains of additions.
struct Chains {
  v16 even = splat(0.0f);
  v16 odd = splat(0.0f);

  PREFRONTAL_INLINE void add(const float* x, const float (*columns)[kRule]) {
    for (int j = 0; j < kSummary; j += 2) {
      even = even + splat(x[j]) * load(columns[j]);
      odd = odd + splat(x[j + 1]) * load(columns[j + 1]);
    }
  }
};

bool update(const RuleTable& table, const float* z_delta, const float* z_world, float keep,
            float step, float* rule) {
  Chains delta, world;
  delta.add(z_delta, table.source);
  world.add(z_world, table.source + kSummary);
  const v16 source =
      ((delta.even + delta.odd) + (world.even + world.odd)) + load(table.source_start);
  const v16 moved = splat(keep) * load(rule) + splat(step) * source;
  const float none = total(moved - moved);  // 0, or NaN where a lane is not finite
  if (!(none == 0.0f)) return false;
  store(moved, rule);
  return true;
}

void shared(const RuleTable& table, const float* rule, float* hidden) {
  for (int half = 0; half < kHidden; half += kLanes) {
    v16 even = load(table.start + half);
    v16 odd = splat(0.0f);
    for (int j = 0; j < kRule; j += 2) {
      even = even + splat(rule[j]) * load(table.rule[j] + half);
      odd = odd + splat(rule[j + 1]) * load(table.rule[j + 1] + half);
    }
    store(even + odd, hidden + half);
  }
}

PREFRONTAL_INLINE float top(const RuleTable& table, const v16 (&hidden)[kHalves]) {
  v16 sum = relu(hidden[0]) * load(table.head);
  for (int half = 1; half < kHalves; ++half)
    sum = sum + relu(hidden[half]) * load(table.head + half * kLanes);
  return total(sum) + table.head_start;
}

template <int R>
PREFRONTAL_INLINE void candidates(const RuleTable& table, const float* shared,
                                  const float* summaries, float* raw) {
  v16 hidden[R][kHalves];
  for (int r = 0; r < R; ++r) {
    for (int half = 0; half < kHalves; ++half) hidden[r][half] = load(shared + half * kLanes);
  }
  for (int j = 0; j < kSummary; ++j) {
    v16 column[kHalves];
    for (int half = 0; half < kHalves; ++half)
      column[half] = load(table.summary[j] + half * kLanes);
    for (int r = 0; r < R; ++r) {
      const v16 value = splat(summaries[r * kSummary + j]);
      for (int half = 0; half < kHalves; ++half)
        hidden[r][half] = hidden[r][half] + value * column[half];
    }
  }
  for (int r = 0; r < R; ++r) raw[r] = top(table, hidden[r]);
}

PREFRONTAL_INLINE v16 bounded(float scale, bool smooth, const v16& raw) {
  const v16 high = splat(scale);
  const v16 low = splat(-scale);
  if (smooth) return high * tanh_of(raw / high);
  const v16 out = if_less(raw, low, low, raw);
  return if_less(high, out, high, out);
}

PREFRONTAL_INLINE v16 bounded(const RuleTable& table, const v16& raw) {
  return bounded(table.scale, table.smooth, raw) + splat(table.offset);
}

void bias(const RuleTable& table, const float* hidden, const float* summaries, int n,
          float* biases) {
  int k = 0;
  if (summaries) {
    for (; k + kAtOnce <= n; k += kAtOnce)
      candidates<kAtOnce>(table, hidden, summaries + k * static_cast<long>(kSummary), biases + k);
    for (; k < n; ++k)
      candidates<1>(table, hidden, summaries + k * static_cast<long>(kSummary), biases + k);
  } else {
    const v16 same[kHalves] = {load(hidden), load(hidden + kLanes)};
    const float raw = top(table, same);
    for (; k < n; ++k) biases[k] = raw;
  }
  for (k = 0; k + kLanes <= n; k += kLanes) store(bounded(table, load(biases + k)), biases + k);
  if (k < n) store_first(bounded(table, load_first(biases + k, n - k)), biases + k, n - k);
}

// The lanes whose sum is row . x
PREFRONTAL_INLINE v16 across_row(const float* row, const float* x) {
  return load(row) * load(x) + load(row + kLanes) * load(x + kLanes);
}

void update_by(const RuleWeights& weights, const float* z_delta, const float* z_world, float keep,
               float step, const float* rule, float* moved) {
  const v16 pool = splat(weights.pool);
  float source[kRule];
  for (int i = 0; i < kRule; ++i)
    source[i] = total(across_row(weights.delta + i * kSummary, z_delta) +
                      pool * across_row(weights.world + i * kSummary, z_world));
  const v16 start = load(weights.delta_start) + pool * load(weights.world_start);
  store(splat(keep) * load(rule) + splat(step) * (load(source) + start), moved);
}

template <int B>
PREFRONTAL_INLINE void biases_by(const BiasWeights& weights, const float* shared,
                                 const float* summaries, int n, float* biases) {
  float x[kSummary * B * kLanes];
  side_by_side<B>(summaries, n, kSummary, x);
  const Layer layer = {weights.w1 + kRule, kRule + kSummary, kSummary, kHidden, shared};
  v16 raw[B];
  headed<B>(layer, weights.w2, weights.b2[0], x, raw);
  float lanes[B * kLanes];
  for (int b = 0; b < B; ++b)
    store(bounded(weights.scale, weights.smooth, raw[b]), lanes + b * kLanes);
  for (int k = 0; k < n; ++k) biases[k] = lanes[k];
}

void bias_by(const BiasWeights& weights, const float* rule, const float* summaries, int n,
             float* biases) {
  float shared[kHidden];
  for (int i = 0; i < kHidden; ++i)
    shared[i] = weights.b1[i] + total(load(weights.w1 + i * (kRule + kSummary)) * load(rule));
  for (int k = 0; k < n;) {
    const float* from = summaries + k * static_cast<long>(kSummary);
    const int left = n - k;
    const int most = kMostBlocks * kLanes;
    if (left > kLanes) {
      biases_by<kMostBlocks>(weights, shared, from, left < most ? left : most, biases + k);
      k += most;
    } else {
      biases_by<1>(weights, shared, from, left, biases + k);
      k = n;
    }
  }
}

}  // namespace

extern const RuleKernels PREFRONTAL_JOIN(rule_, PREFRONTAL_ISA) = {update, shared, bias, update_by,
                                                                   bias_by};

}  // namespace prefrontal::simd
