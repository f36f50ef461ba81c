// Layers over rows that stand side by side in the lanes: x[j] holds input j of 16 B rows.
//
//   sum_i = start_i + sum over j of term(W[i][j], x_j), the j in order, whatever the blocking
//
// The weights are read as torch keeps them, a row for each unit; nothing is packed, and nothing is
// added across lanes. For 16 rows and more at once.
#pragma once

#include "csrc/simd/v16.hpp"

namespace prefrontal::simd {
namespace {

constexpr int kMostBlocks = kParts == 1 ? 2 : 1;  // of 16 rows whose sums fit in registers
constexpr int kUnits = kParts == 1 ? 8 : kParts == 2 ? 4 : kParts == 4 ? 2 : 1;  // at once

// W of a layer: `units` rows of `inputs` numbers that begin `stride` apart.
struct Layer {
  const float* weight;
  int stride;
  int inputs;
  int units;
  const float* start;  // units, or null
};

struct Product {
  PREFRONTAL_INLINE v16 operator()(const v16& w, const v16& x) const { return w * x; }
};

struct SquaredDifference {
  PREFRONTAL_INLINE v16 operator()(const v16& w, const v16& x) const {
    const v16 apart = x - w;
    return apart * apart;
  }
};

// The first `count` rows side by side, j by j; the other lanes are 0.
template <int B>
PREFRONTAL_INLINE void side_by_side(const float* rows, int count, int width, float* x) {
  if (count < B * kLanes)
    for (int at = 0; at < width * B * kLanes; ++at) x[at] = 0.0f;
  for (int r = 0; r < count; ++r)
    for (int j = 0; j < width; ++j) x[j * B * kLanes + r] = rows[r * static_cast<long>(width) + j];
}

template <int B, int U, class Term, class Done>
PREFRONTAL_INLINE void units(const Layer& layer, int first, const float* x, Term term, Done done) {
  v16 sum[U][B];
  for (int u = 0; u < U; ++u)
    for (int b = 0; b < B; ++b) sum[u][b] = splat(layer.start ? layer.start[first + u] : 0.0f);
  const float* weight = layer.weight + first * static_cast<long>(layer.stride);
  for (int j = 0; j < layer.inputs; ++j) {
    v16 input[B];
    for (int b = 0; b < B; ++b) input[b] = load(x + (j * B + b) * kLanes);
    for (int u = 0; u < U; ++u) {
      const v16 w = splat(weight[u * layer.stride + j]);
      for (int b = 0; b < B; ++b) sum[u][b] = sum[u][b] + term(w, input[b]);
    }
  }
  for (int u = 0; u < U; ++u) done(first + u, sum[u]);
}

template <int B, int U, class Term, class Done>
PREFRONTAL_INLINE void units_from(const Layer& layer, int i, const float* x, Term term, Done done) {
  for (; i + U <= layer.units; i += U) units<B, U>(layer, i, x, term, done);
  if constexpr (U > 1) units_from<B, U / 2>(layer, i, x, term, done);
}

// Calls done(i, sums of unit i [B]) for each unit in order.
template <int B, class Term, class Done>
PREFRONTAL_INLINE void over_units(const Layer& layer, const float* x, Term term, Done done) {
  units_from<B, kUnits>(layer, 0, x, term, done);
}

PREFRONTAL_INLINE v16 relu(const v16& x) { return if_less(x, splat(0.0f), splat(0.0f), x); }

// y = relu of the layer, or the layer itself; side by side as x is.
template <int B, bool Relu>
PREFRONTAL_INLINE void dense(const Layer& layer, const float* x, float* y) {
  over_units<B>(layer, x, Product{}, [&](int i, const v16(&sum)[B]) {
    for (int b = 0; b < B; ++b) store(Relu ? relu(sum[b]) : sum[b], y + (i * B + b) * kLanes);
  });
}

// out = start + head . relu of the layer
template <int B>
PREFRONTAL_INLINE void headed(const Layer& layer, const float* head, float start, const float* x,
                              v16 (&out)[B]) {
  for (int b = 0; b < B; ++b) out[b] = splat(start);
  over_units<B>(layer, x, Product{}, [&](int i, const v16(&sum)[B]) {
    for (int b = 0; b < B; ++b) out[b] = out[b] + splat(head[i]) * relu(sum[b]);
  });
}

}  // namespace
}  // namespace prefrontal::simd
