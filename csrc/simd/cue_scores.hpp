// The half of cue_training that makes scores: one row through the weights, or many through a table
// of the slots' keys. Each forward has its backward beside it.
#pragma once

#include "csrc/simd/cue_training.hpp"
#include "csrc/simd/products.hpp"
#include "csrc/simd/tanh.hpp"

namespace prefrontal::simd {
namespace {

constexpr int kBlockRows = 64;
constexpr int kS = kTrainingSlots;
constexpr float kShortest = 1e-12f;  // length that a shorter key or query counts as

struct Scratch {
  float* free;
  float* take(long floats) {
    float* const taken = free;
    free += (floats + kLanes - 1) / kLanes * kLanes;
    return taken;
  }
};

struct Cue {
  const CueShape& shape;
  const CueTensors<const float>& in;
  const float* memory_t;  // [D][16]: a lane for each slot; null where no table is made
};

inline void zero(float* numbers, long count) {
  for (long i = 0; i < count; ++i) numbers[i] = 0.0f;
}

inline void add(const float* x, float* y, int n) {
  for (int i = 0; i < n; i += kLanes) store(load(y + i) + load(x + i), y + i);
}

// y[n][16] = W[n] x[.][16] + start[n]; start may be null.
inline void layer(const Right& w, const float* start, int rows, int count, const float* x,
                  float* y) {
  for (int n = 0; n < rows; ++n) store(splat(start ? start[n] : 0.0f), y + n * kS);
  product({w.numbers, w.stride, 1}, {x, kS}, {y, kS}, rows, kS, count, false);
}

// y[k][16] (+)= sum over n of W[n][k] x[n][16].
inline void layer_back(const Right& w, int rows, int count, const float* x, float* y, bool fresh) {
  product({w.numbers, 1, w.stride}, {x, kS}, {y, kS}, count, kS, rows, fresh);
}

inline void totals(const float* x, int rows, float* y) {
  for (int n = 0; n < rows; ++n) y[n] = total(load(x + n * kS));
}

// What the gradient d of scores means to a factor of them. The d of a softmax sum to 0, so taking
// the largest score off changes nothing but the rounding.
inline float slope(const v16& d, const v16& score) {
  return total(d * (score - splat(largest(score))));
}

// --- one row -----------------------------------------------------------------------------------

struct RowScore {
  float* query;  // q [D]
  float* key;    // W_k^T q [D]
  v16 raw;       // q . K
};

inline RowScore row_score(const Cue& cue, const float* x, Scratch& scratch) {
  const auto& [shape, in, none] = cue;
  const int depth = shape.depth;
  RowScore out{scratch.take(depth), scratch.take(depth), {}};
  dots({in.query_weight, shape.inputs}, x, in.query_bias, depth, shape.inputs, out.query);
  product({out.query, 0, 1}, {in.key_weight, depth}, {out.key, 0}, 1, depth, depth);
  float raw[kS], shared = 0.0f;
  dots({in.memory, depth}, out.key, nullptr, kS, depth, raw);
  if (in.key_bias) dots({in.key_bias, 0}, out.query, nullptr, 1, depth, &shared);
  out.raw = load(raw) + splat(shared);
  return out;
}

// d: of the scores. Adds to every gradient but those that `first` makes anew.
inline float row_score_back(const Cue& cue, const float* x, const RowScore& row, const v16& d,
                            const CueTensors<float>& into, float* dx, bool first, Scratch scratch) {
  const auto& [shape, in, none] = cue;
  const int depth = shape.depth;
  float raw[kS];
  const v16 d_raw = d * splat(shape.sharpness);
  store(d_raw, raw);
  product({raw, 1, 0}, {row.key, 0}, {into.memory, depth}, kS, depth, 1, false);
  float *d_key = scratch.take(depth), *d_query = scratch.take(depth);
  product({raw, 0, 1}, {in.memory, depth}, {d_key, 0}, 1, depth, kS);
  product({row.query, 1, 0}, {d_key, 0}, {into.key_weight, depth}, depth, depth, 1, first);
  dots({in.key_weight, depth}, d_key, nullptr, depth, depth, d_query);
  if (in.key_bias) {
    const float shared = total(d_raw);
    product({&shared, 0, 0}, {in.key_bias, 0}, {d_query, 0}, 1, depth, 1, false);
    product({&shared, 0, 0}, {row.query, 0}, {into.key_bias, 0}, 1, depth, 1, first);
  }
  add(d_query, into.query_bias, depth);
  product({d_query, 1, 0}, {x, 0}, {into.query_weight, shape.inputs}, depth, shape.inputs, 1,
          first);
  if (dx)
    product({d_query, 0, 1}, {in.query_weight, shape.inputs}, {dx, 0}, 1, shape.inputs, depth,
            false);
  return slope(d, row.raw);
}

// --- many rows ---------------------------------------------------------------------------------

struct ScoreTable {
  float* key;      // [D][16], times the sharpness, and over their lengths for cosine
  float* score;    // [Q][16]: what each input adds to the scores
  float* start;    // [16]
  float* query_t;  // W_q^T [Q][D], for cosine
  v16 scale;       // of the keys
  v16 turns;       // 1 where a key's length matters to its gradient, else 0
};

inline ScoreTable score_table(const Cue& cue, Scratch& scratch) {
  const auto& [shape, in, memory_t] = cue;
  const int depth = shape.depth, inputs = shape.inputs;
  ScoreTable out{scratch.take(kS * depth), scratch.take(kS * inputs),
                 scratch.take(kS),         nullptr,
                 splat(shape.sharpness),   splat(0.0f)};
  layer({in.key_weight, depth}, in.key_bias, depth, depth, memory_t, out.key);
  if (shape.cosine) {
    v16 squares = splat(0.0f);
    for (int i = 0; i < depth; ++i)
      squares = squares + load(out.key + i * kS) * load(out.key + i * kS);
    const v16 length = sqrt_of(squares), least = splat(kShortest);
    out.turns = if_less(length, least, splat(0.0f), splat(1.0f));
    out.scale = out.scale / if_less(length, least, least, length);
    out.query_t = scratch.take(inputs * depth);
    transpose({in.query_weight, inputs}, depth, inputs, {out.query_t, depth});
  }
  for (int i = 0; i < depth; ++i) store(load(out.key + i * kS) * out.scale, out.key + i * kS);
  layer_back({in.query_weight, inputs}, depth, inputs, out.key, out.score, true);
  product({in.query_bias, 0, 1}, {out.key, kS}, {out.start, 0}, 1, kS, depth);
  return out;
}

// Queries [rows][D] and their lengths, for cosine.
inline void queries(const Cue& cue, const ScoreTable& table, const float* x, int rows, float* query,
                    float* length) {
  const auto& [shape, in, none] = cue;
  for (int b = 0; b < rows; ++b) {
    float* const q = query + static_cast<long>(b) * shape.depth;
    for (int i = 0; i < shape.depth; i += kLanes) store(load(in.query_bias + i), q + i);
  }
  product({x, shape.inputs, 1}, {table.query_t, shape.depth}, {query, shape.depth}, rows,
          shape.depth, shape.inputs, false);
  for (int b = 0; b < rows; ++b) {
    const float* q = query + static_cast<long>(b) * shape.depth;
    v16 squares = load(q) * load(q);
    for (int i = kLanes; i < shape.depth; i += kLanes)
      squares = squares + load(q + i) * load(q + i);
    length[b] = sqrt_of(total(squares));
  }
}

// Scores [rows][16] of up to kBlockRows rows; query and length are filled for cosine.
inline void scores(const Cue& cue, const ScoreTable& table, const float* x, int rows, float* score,
                   float* query, float* length) {
  const int inputs = cue.shape.inputs;
  for (int b = 0; b < rows; ++b) store(load(table.start), score + b * kS);
  product({x, inputs, 1}, {table.score, kS}, {score, kS}, rows, kS, inputs, false);
  if (!cue.shape.cosine) return;
  queries(cue, table, x, rows, query, length);
  for (int b = 0; b < rows; ++b)
    store(load(score + b * kS) / splat(if_less(length[b], kShortest, kShortest, length[b])),
          score + b * kS);
}

struct ScoreGradients {
  float* score;    // [Q][16]
  float* start;    // [16]
  float* score_t;  // the table's own score, transposed: [16][Q]
};

inline ScoreGradients score_gradients(const Cue& cue, const ScoreTable& table, Scratch& scratch) {
  const int inputs = cue.shape.inputs;
  ScoreGradients out{scratch.take(kS * inputs), scratch.take(kS), scratch.take(kS * inputs)};
  zero(out.score, kS * inputs);
  zero(out.start, kS);
  transpose({table.score, kS}, inputs, kS, {out.score_t, inputs});
  return out;
}

// d [rows][16]: of the scores of a block, used up. Adds to dx [rows][Q], to the table's gradients
// and, what the queries' lengths ask for, to those of the query layer.
inline void scores_back(const Cue& cue, const float* x, int rows, float* d, const float* score,
                        float* query, const float* length, const ScoreGradients& gradients,
                        const CueTensors<float>& into, float* dx) {
  const auto& [shape, in, none] = cue;
  const int inputs = shape.inputs, depth = shape.depth;
  for (int b = 0; shape.cosine && b < rows; ++b) {
    const float own = if_less(length[b], kShortest, kShortest, length[b]);
    const v16 each = load(d + b * kS);
    const float along = if_less(length[b], kShortest, 0.0f, -1.0f / (own * own)) *
                        total(each * load(score + b * kS));
    for (int i = 0; i < depth; i += kLanes) {
      float* const q = query + static_cast<long>(b) * depth + i;
      store(load(q) * splat(along), q);
    }
    add(query + static_cast<long>(b) * depth, into.query_bias, depth);
    store(each / splat(own), d + b * kS);
  }
  if (shape.cosine) {
    product({query, 1, depth}, {x, inputs}, {into.query_weight, inputs}, depth, inputs, rows,
            false);
    if (dx)
      product({query, depth, 1}, {in.query_weight, inputs}, {dx, inputs}, rows, inputs, depth,
              false);
  }
  product({x, 1, inputs}, {d, kS}, {gradients.score, kS}, inputs, kS, rows, false);
  for (int b = 0; b < rows; ++b) add(d + b * kS, gradients.start, kS);
  if (dx) product({d, kS, 1}, {gradients.score_t, inputs}, {dx, inputs}, rows, inputs, kS, false);
}

// From the table's gradients to those of the parameters; adds to the memory's, [D][16].
inline void score_table_back(const Cue& cue, const ScoreTable& table,
                             const ScoreGradients& gradients, const CueTensors<float>& into,
                             float* memory_t, Scratch scratch) {
  const auto& [shape, in, none] = cue;
  const int depth = shape.depth, inputs = shape.inputs;
  float *d_key = scratch.take(kS * depth), *rows = scratch.take(kS * inputs);
  transpose({gradients.score, kS}, inputs, kS, {rows, inputs});
  product({table.key, kS, 1}, {rows, inputs}, {into.query_weight, inputs}, depth, inputs, kS,
          false);
  const v16 start = load(gradients.start);
  v16 along = splat(0.0f);
  layer({in.query_weight, inputs}, nullptr, depth, inputs, gradients.score, d_key);
  for (int i = 0; i < depth; ++i) {
    const v16 key = load(table.key + i * kS);
    into.query_bias[i] += total(key * start);
    const v16 d = load(d_key + i * kS) + splat(in.query_bias[i]) * start;
    along = along + key * d;
    store(d, d_key + i * kS);
  }
  const float sharpness = shape.sharpness;
  along = along * table.turns / splat(sharpness * sharpness);
  for (int i = 0; i < depth; ++i)
    store((load(d_key + i * kS) - load(table.key + i * kS) * along) * table.scale, d_key + i * kS);
  product({d_key, kS, 1}, {in.memory, depth}, {into.key_weight, depth}, depth, depth, kS);
  if (into.key_bias) totals(d_key, depth, into.key_bias);
  layer_back({in.key_weight, depth}, depth, depth, d_key, memory_t, false);
}

}  // namespace
}  // namespace prefrontal::simd
