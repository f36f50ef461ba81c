// The half of cue_training behind the weights: what is read, and the heads. One row through the
// weights, or many through a table of what each slot gives. Each forward has its backward beside
// it.
#pragma once

#include "csrc/simd/cue_scores.hpp"
#include "csrc/simd/exp.hpp"

namespace prefrontal::simd {
namespace {

constexpr int kActionRows = 16;
constexpr int kTerrainRows = 2;
constexpr int kHeadColumns = 32;  // of both heads, and zeros

inline int head_stride(const CueShape& shape) {
  return shape.direct ? shape.context + shape.inputs : shape.context;
}

// Numbers a row of what comes out: both heads and zeros, or the context.
inline int value_columns(const CueShape& shape) {
  return shape.heads ? kHeadColumns : shape.context;
}

// heads [32] = W [context] + b, and the action's part of x where it reads x.
inline void heads_of(const Cue& cue, const float* context, const float* x, float* heads) {
  const auto& [shape, in, none] = cue;
  const int wide = shape.context, stride = head_stride(shape);
  zero(heads, kHeadColumns);
  dots({in.terrain_weight, wide}, context, in.terrain_bias, kTerrainRows, wide,
       heads + kActionRows);
  if (!in.action_weight) return;
  dots({in.action_weight, stride}, context, in.action_bias, kActionRows, wide, heads);
  if (!shape.direct || !x) return;
  float own[kActionRows];
  dots({in.action_weight + wide, stride}, x, nullptr, kActionRows, shape.inputs, own);
  store(load(heads) + load(own), heads);
}

inline void put_heads(const float* heads, const CueOutputs& out, long row) {
  if (out.action) store(load(heads), out.action + row * kActionRows);
  store_first(sigmoid_of(load(heads + kActionRows)), out.terrain + row * kTerrainRows,
              kTerrainRows);
}

// d [columns] of what came out in this row; false where it is all zeros.
inline bool value_gradient(const CueShape& shape, const CueOutputs& out,
                           const CueOutputGradients& gradients, long row, float* d) {
  if (!shape.heads) {
    for (int i = 0; gradients.context && i < shape.context; i += kLanes)
      store(load(gradients.context + row * shape.context + i), d + i);
    return gradients.context != nullptr;
  }
  zero(d, kHeadColumns);
  if (gradients.action) store(load(gradients.action + row * kActionRows), d);
  for (int i = 0; gradients.terrain && i < kTerrainRows; ++i) {
    const float terrain = out.terrain[row * kTerrainRows + i];
    d[kActionRows + i] = gradients.terrain[row * kTerrainRows + i] * (terrain * (1.0f - terrain));
  }
  return gradients.action || gradients.terrain;
}

// --- one row -----------------------------------------------------------------------------------

struct RowValue {
  float* mixed;    // w M [D]
  float* value;    // [D]
  float* context;  // [C]
};

inline RowValue row_value(const Cue& cue, const float* weights, Scratch& scratch) {
  const auto& [shape, in, none] = cue;
  const int depth = shape.depth;
  RowValue out{scratch.take(depth), scratch.take(depth), scratch.take(shape.context)};
  product({weights, 0, 1}, {in.memory, depth}, {out.mixed, 0}, 1, depth, kS);
  dots({in.value_weight, depth}, out.mixed, in.value_bias, depth, depth, out.value);
  dots({in.output_weight, depth}, out.value, in.output_bias, shape.context, depth, out.context);
  return out;
}

// What the heads' gradients d [32] of a row mean to the heads, to x and to the context [C].
inline void row_heads_back(const Cue& cue, const float* x, const float* context, const float* d,
                           const CueTensors<float>& into, float* dx, float* d_context, bool first) {
  const auto& [shape, in, none] = cue;
  const int wide = shape.context, stride = head_stride(shape), inputs = shape.inputs;
  const float* d_terrain = d + kActionRows;
  product({d_terrain, 0, 1}, {in.terrain_weight, wide}, {d_context, 0}, 1, wide, kTerrainRows);
  product({d_terrain, 1, 0}, {context, 0}, {into.terrain_weight, wide}, kTerrainRows, wide, 1,
          first);
  for (int i = 0; i < kTerrainRows; ++i) into.terrain_bias[i] += d_terrain[i];
  if (!into.action_weight) return;
  product({d, 0, 1}, {in.action_weight, stride}, {d_context, 0}, 1, wide, kActionRows, false);
  product({d, 1, 0}, {context, 0}, {into.action_weight, stride}, kActionRows, wide, 1, first);
  add(d, into.action_bias, kActionRows);
  if (!shape.direct) return;
  product({d, 1, 0}, {x, 0}, {into.action_weight + wide, stride}, kActionRows, inputs, 1, first);
  if (dx)
    product({d, 0, 1}, {in.action_weight + wide, stride}, {dx, 0}, 1, inputs, kActionRows, false);
}

// d [columns] of what came out; adds to the gradient of the weights [16].
inline void row_value_back(const Cue& cue, const float* x, const float* weights,
                           const RowValue& row, const float* d, const CueTensors<float>& into,
                           float* dx, float* d_weights, bool first, Scratch scratch) {
  const auto& [shape, in, none] = cue;
  const int depth = shape.depth, wide = shape.context;
  float* const of_heads = scratch.take(wide);
  if (shape.heads) row_heads_back(cue, x, row.context, d, into, dx, of_heads, first);
  const float* const d_context = shape.heads ? of_heads : d;
  add(d_context, into.output_bias, wide);
  product({d_context, 1, 0}, {row.value, 0}, {into.output_weight, depth}, wide, depth, 1, first);
  float *d_value = scratch.take(depth), *d_mixed = scratch.take(depth);
  product({d_context, 0, 1}, {in.output_weight, depth}, {d_value, 0}, 1, depth, wide);
  add(d_value, into.value_bias, depth);
  product({d_value, 1, 0}, {row.mixed, 0}, {into.value_weight, depth}, depth, depth, 1, first);
  product({d_value, 0, 1}, {in.value_weight, depth}, {d_mixed, 0}, 1, depth, depth);
  product({weights, 1, 0}, {d_mixed, 0}, {into.memory, depth}, kS, depth, 1, false);
  float more[kS];
  dots({in.memory, depth}, d_mixed, nullptr, kS, depth, more);
  store(load(d_weights) + load(more), d_weights);
}

// --- many rows ---------------------------------------------------------------------------------

struct ValueTable {
  float* value;    // V [D][16]
  float* context;  // W_o V [C][16]
  float* out;      // [columns][16]: what comes out of a slot; the context's own table without heads
  float* out_t;    // [16][columns]
  float* start;    // [columns]: what comes out whatever the weights
  float* direct_t;  // the action head's part for x, [Q][16]
};

inline ValueTable value_table(const Cue& cue, Scratch& scratch) {
  const auto& [shape, in, memory_t] = cue;
  const int depth = shape.depth, wide = shape.context, columns = value_columns(shape);
  ValueTable out{scratch.take(kS * depth),   scratch.take(kS * wide), nullptr,
                 scratch.take(kS * columns), scratch.take(columns),   nullptr};
  layer({in.value_weight, depth}, in.value_bias, depth, depth, memory_t, out.value);
  layer({in.output_weight, depth}, nullptr, wide, depth, out.value, out.context);
  out.out = out.context;
  if (shape.heads) {
    const int stride = head_stride(shape);
    out.out = scratch.take(kS * columns);
    zero(out.out, kS * columns);
    if (in.action_weight)
      layer({in.action_weight, stride}, nullptr, kActionRows, wide, out.context, out.out);
    layer({in.terrain_weight, wide}, nullptr, kTerrainRows, wide, out.context,
          out.out + kActionRows * kS);
    heads_of(cue, in.output_bias, nullptr, out.start);
  } else {
    for (int i = 0; i < wide; i += kLanes) store(load(in.output_bias + i), out.start + i);
  }
  transpose({out.out, kS}, columns, kS, {out.out_t, columns});
  if (shape.direct && in.action_weight) {
    out.direct_t = scratch.take(kS * shape.inputs);
    transpose({in.action_weight + wide, head_stride(shape)}, kActionRows, shape.inputs,
              {out.direct_t, kS});
  }
  return out;
}

// What comes out of a block of rows, [rows][columns].
inline void values(const Cue& cue, const ValueTable& table, const float* x, const float* weights,
                   int rows, float* out) {
  const int columns = value_columns(cue.shape), inputs = cue.shape.inputs;
  for (int b = 0; b < rows; ++b)
    for (int i = 0; i < columns; i += kLanes) store(load(table.start + i), out + b * columns + i);
  product({weights, kS, 1}, {table.out_t, columns}, {out, columns}, rows, columns, kS, false);
  if (table.direct_t)
    product({x, inputs, 1}, {table.direct_t, kS}, {out, columns}, rows, kS, inputs, false);
}

struct ValueGradients {
  float* out;    // [columns][16]
  float* start;  // [columns]
};

inline ValueGradients value_gradients(const Cue& cue, Scratch& scratch) {
  const int columns = value_columns(cue.shape);
  ValueGradients out{scratch.take(kS * columns), scratch.take(columns)};
  zero(out.out, kS * columns);
  zero(out.start, columns);
  return out;
}

// d [rows][columns] of what came out of a block; adds to the weights' gradient [rows][16].
inline void values_back(const Cue& cue, const ValueTable& table, const float* x,
                        const float* weights, int rows, const float* d,
                        const ValueGradients& gradients, const CueTensors<float>& into, float* dx,
                        float* d_weights) {
  const auto& [shape, in, none] = cue;
  const int columns = value_columns(shape), inputs = shape.inputs, wide = shape.context;
  product({d, columns, 1}, {table.out, kS}, {d_weights, kS}, rows, kS, columns, false);
  product({d, 1, columns}, {weights, kS}, {gradients.out, kS}, columns, kS, rows, false);
  for (int b = 0; b < rows; ++b) add(d + b * columns, gradients.start, columns);
  if (!shape.direct || !into.action_weight) return;
  const int stride = head_stride(shape);
  product({d, 1, columns}, {x, inputs}, {into.action_weight + wide, stride}, kActionRows, inputs,
          rows, false);
  if (dx)
    product({d, columns, 1}, {in.action_weight + wide, stride}, {dx, inputs}, rows, inputs,
            kActionRows, false);
}

// The heads' gradients from the table's; d_context [C][16] and the output bias's are written.
inline void heads_table_back(const Cue& cue, const ValueTable& table,
                             const ValueGradients& gradients, const CueTensors<float>& into,
                             float* d_context, Scratch scratch) {
  const auto& [shape, in, none] = cue;
  const int wide = shape.context, stride = head_stride(shape);
  float* const rows = scratch.take(kS * wide);
  transpose({table.context, kS}, wide, kS, {rows, wide});
  const auto head = [&](const float* weight, float* d_weight, float* d_bias, int from, int count,
                        int row, bool fresh) {
    const float *d = gradients.out + from * kS, *start = gradients.start + from;
    product({d, kS, 1}, {rows, wide}, {d_weight, row}, count, wide, kS);
    product({start, 1, 0}, {in.output_bias, 0}, {d_weight, row}, count, wide, 1, false);
    for (int i = 0; i < count; ++i) d_bias[i] = start[i];
    layer_back({weight, row}, count, wide, d, d_context, fresh);
    product({start, 0, 1}, {weight, row}, {into.output_bias, 0}, 1, wide, count, fresh);
  };
  head(in.terrain_weight, into.terrain_weight, into.terrain_bias, kActionRows, kTerrainRows, wide,
       true);
  if (into.action_weight)
    head(in.action_weight, into.action_weight, into.action_bias, 0, kActionRows, stride, false);
}

// From the table's gradients to those of the parameters; adds to the memory's, [D][16].
inline void value_table_back(const Cue& cue, const ValueTable& table,
                             const ValueGradients& gradients, const CueTensors<float>& into,
                             float* memory_t, Scratch scratch) {
  const auto& [shape, in, none] = cue;
  const int depth = shape.depth, wide = shape.context;
  float* d_context = gradients.out;
  if (shape.heads) {
    d_context = scratch.take(kS * wide);
    heads_table_back(cue, table, gradients, into, d_context, scratch);
  } else {
    for (int i = 0; i < wide; i += kLanes) store(load(gradients.start + i), into.output_bias + i);
  }
  float *rows = scratch.take(kS * depth), *d_value = scratch.take(kS * depth);
  transpose({table.value, kS}, depth, kS, {rows, depth});
  product({d_context, kS, 1}, {rows, depth}, {into.output_weight, depth}, wide, depth, kS);
  layer_back({in.output_weight, depth}, wide, depth, d_context, d_value, true);
  product({d_value, kS, 1}, {in.memory, depth}, {into.value_weight, depth}, depth, depth, kS);
  totals(d_value, depth, into.value_bias);
  layer_back({in.value_weight, depth}, depth, depth, d_value, memory_t, false);
}

}  // namespace
}  // namespace prefrontal::simd
