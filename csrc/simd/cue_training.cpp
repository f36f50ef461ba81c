// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/cue_training.hpp"

#include "csrc/simd/cue_scores.hpp"
#include "csrc/simd/cue_values.hpp"
#include "csrc/simd/operators.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

namespace prefrontal::simd {
namespace {

bool scores_by_row(const CueShape& shape) { return shape.rows < kFewRows && !shape.cosine; }

bool values_by_row(const CueShape& shape) { return shape.rows < kFewRows; }

long scratch_of(const CueShape& shape) {
  const long depth = shape.depth, inputs = shape.inputs, wide = shape.context;
  const long row = kLanes + 8 * (depth + wide + kHeadColumns + kS);
  if (scores_by_row(shape)) return row;
  const long tables = kS * (10 * depth + 5 * inputs + 4 * wide + 8 * kHeadColumns);
  const long block = kBlockRows * (depth + wide + kHeadColumns + 3 * kS + 1);
  return row + tables + depth * inputs + block;
}

Scratch aligned(float* numbers) {
  const auto at = reinterpret_cast<unsigned long>(numbers);
  return {numbers + (64 - at % 64) % 64 / sizeof(float)};
}

const float* by_slot(const CueShape& shape, const CueTensors<const float>& in, Scratch& scratch) {
  if (scores_by_row(shape)) return nullptr;
  float* const memory_t = scratch.take(static_cast<long>(kS) * shape.depth);
  transpose({in.memory, shape.depth}, kS, shape.depth, {memory_t, kS});
  return memory_t;
}

v16 softmax(const v16& score) {
  const v16 share = exp_of(score - splat(largest(score)));
  return share / splat(total(share));
}

void forward_row(const Cue& cue, const CueOutputs& out, long b, Scratch scratch) {
  const auto& [shape, in, none] = cue;
  const float *x = in.x + b * shape.inputs, *weights = out.weights + b * kS;
  if (scores_by_row(shape)) {
    const v16 raw = row_score(cue, x, scratch).raw;
    store(softmax(raw * splat(shape.sharpness)), out.weights + b * kS);
  }
  const RowValue row = row_value(cue, weights, scratch);
  if (!shape.heads) {
    for (int i = 0; i < shape.context; i += kLanes)
      store(load(row.context + i), out.context + b * shape.context + i);
    return;
  }
  float* const heads = scratch.take(kHeadColumns);
  heads_of(cue, row.context, x, heads);
  put_heads(heads, out, b);
}

void weigh_block(const Cue& cue, const ScoreTable& table, const CueOutputs& out, long first,
                 int rows, Scratch scratch) {
  float* const weights = out.weights + first * kS;
  float* const query = cue.shape.cosine ? scratch.take(kBlockRows * cue.shape.depth) : nullptr;
  scores(cue, table, cue.in.x + first * cue.shape.inputs, rows, weights, query,
         scratch.take(kBlockRows));
  for (int b = 0; b < rows; ++b) store(softmax(load(weights + b * kS)), weights + b * kS);
}

void put_block(const Cue& cue, const ValueTable& table, const CueOutputs& out, long first, int rows,
               Scratch scratch) {
  const CueShape& shape = cue.shape;
  const int columns = value_columns(shape);
  float* const into =
      shape.heads ? scratch.take(kBlockRows * columns) : out.context + first * columns;
  values(cue, table, cue.in.x + first * shape.inputs, out.weights + first * kS, rows, into);
  for (int b = 0; shape.heads && b < rows; ++b) put_heads(into + b * columns, out, first + b);
}

template <class Each>
void each_block(long rows, Each each) {
  for (long first = 0; first < rows; first += kBlockRows)
    each(first, static_cast<int>(rows - first < kBlockRows ? rows - first : kBlockRows));
}

void forward(const CueShape& shape, const CueTensors<const float>& in, const CueOutputs& out,
             float* numbers) {
  Scratch scratch = aligned(numbers);
  const Cue cue{shape, in, by_slot(shape, in, scratch)};
  if (!scores_by_row(shape)) {
    const ScoreTable table = score_table(cue, scratch);
    each_block(shape.rows,
               [&](long first, int rows) { weigh_block(cue, table, out, first, rows, scratch); });
  }
  if (values_by_row(shape)) {
    for (long b = 0; b < shape.rows; ++b) forward_row(cue, out, b, scratch);
    return;
  }
  const ValueTable table = value_table(cue, scratch);
  each_block(shape.rows,
             [&](long first, int rows) { put_block(cue, table, out, first, rows, scratch); });
}

// --- backward ----------------------------------------------------------------------------------

struct Back {
  const Cue& cue;
  const CueOutputs& out;
  const CueOutputGradients& gradients;
  const CueTensors<float>& into;
  float* memory_t;  // gradient of the memory, [D][16]
};

// What is added to row by row, or block by block, starts at 0.
void clear(const CueShape& shape, const CueTensors<float>& into) {
  const long depth = shape.depth;
  if (into.x) zero(into.x, shape.rows * shape.inputs);
  zero(into.memory, kS * depth);
  zero(into.query_weight, depth * shape.inputs);
  zero(into.query_bias, depth);
  zero(into.value_bias, depth);
  zero(into.output_bias, shape.context);
  if (shape.rows == 0) {
    zero(into.key_weight, depth * depth);
    zero(into.value_weight, depth * depth);
    zero(into.output_weight, depth * shape.context);
    if (into.key_bias) zero(into.key_bias, depth);
  }
  if (!shape.heads) return;
  zero(into.terrain_weight, kTerrainRows * shape.context);
  zero(into.terrain_bias, kTerrainRows);
  if (!into.action_weight) return;
  zero(into.action_weight, static_cast<long>(kActionRows) * head_stride(shape));
  zero(into.action_bias, kActionRows);
}

void start_weights(const Back& back, long first, int rows, float* d) {
  zero(d, rows * kS);
  if (back.gradients.weights)
    for (int b = 0; b < rows; ++b) add(back.gradients.weights + (first + b) * kS, d + b * kS, kS);
}

// d [rows][16]: of the weights, becomes that of the scores.
void softmax_back(const float* weights, int rows, float* d) {
  for (int b = 0; b < rows; ++b) {
    const v16 w = load(weights + b * kS), each = load(d + b * kS);
    store(w * (each - splat(total(w * each))), d + b * kS);
  }
}

float backward_row(const Back& back, long b, float* d_weights, Scratch scratch) {
  const auto& [shape, in, none] = back.cue;
  const float *x = in.x + b * shape.inputs, *weights = back.out.weights + b * kS;
  float* const dx = back.into.x ? back.into.x + b * shape.inputs : nullptr;
  float* const d = scratch.take(value_columns(shape));
  start_weights(back, b, 1, d_weights);
  if (!value_gradient(shape, back.out, back.gradients, b, d)) zero(d, value_columns(shape));
  const RowValue row = row_value(back.cue, weights, scratch);
  row_value_back(back.cue, x, weights, row, d, back.into, dx, d_weights, b == 0, scratch);
  softmax_back(weights, 1, d_weights);
  if (!scores_by_row(shape)) return 0.0f;
  const RowScore score = row_score(back.cue, x, scratch);
  return row_score_back(back.cue, x, score, load(d_weights), back.into, dx, b == 0, scratch);
}

// The gradients of a block's scores [rows][16] from those of what came out.
void block_values_back(const Back& back, const ValueTable& table, const ValueGradients& tables,
                       long first, int rows, float* d_weights, Scratch scratch) {
  const auto& [shape, in, none] = back.cue;
  const int columns = value_columns(shape);
  float* const d = scratch.take(kBlockRows * columns);
  start_weights(back, first, rows, d_weights);
  bool any = false;
  for (int b = 0; b < rows; ++b)
    any = value_gradient(shape, back.out, back.gradients, first + b, d + b * columns);
  const float* const weights = back.out.weights + first * kS;
  if (any)
    values_back(back.cue, table, in.x + first * shape.inputs, weights, rows, d, tables, back.into,
                back.into.x ? back.into.x + first * shape.inputs : nullptr, d_weights);
  softmax_back(weights, rows, d_weights);
}

// Gives what the block adds to the gradient of the sharpness.
double block_scores_back(const Back& back, const ScoreTable& table, const ScoreGradients& tables,
                         long first, int rows, float* d, Scratch scratch) {
  const auto& [shape, in, none] = back.cue;
  const float* const x = in.x + first * shape.inputs;
  float *score = nullptr, *query = nullptr, *length = nullptr;
  if (shape.cosine) {
    query = scratch.take(kBlockRows * shape.depth);
    length = scratch.take(kBlockRows);
  }
  if (shape.cosine || shape.tempered) {
    score = scratch.take(kBlockRows * kS);
    scores(back.cue, table, x, rows, score, query, length);
  }
  double sharper = 0.0;
  for (int b = 0; shape.tempered && b < rows; ++b)
    sharper += static_cast<double>(slope(load(d + b * kS), load(score + b * kS)));
  scores_back(back.cue, x, rows, d, score, query, length, tables, back.into,
              back.into.x ? back.into.x + first * shape.inputs : nullptr);
  return sharper;
}

float backward_tables(const Back& back, Scratch scratch) {
  const CueShape& shape = back.cue.shape;
  const ScoreTable score = score_table(back.cue, scratch);
  const ScoreGradients scores = score_gradients(back.cue, score, scratch);
  float* const d = scratch.take(kBlockRows * kS);
  double sharper = 0.0;
  if (values_by_row(shape)) {
    for (long b = 0; b < shape.rows; ++b) backward_row(back, b, d + b * kS, scratch);
    sharper = block_scores_back(back, score, scores, 0, static_cast<int>(shape.rows), d, scratch);
  } else {
    const ValueTable value = value_table(back.cue, scratch);
    const ValueGradients values = value_gradients(back.cue, scratch);
    each_block(shape.rows, [&](long first, int rows) {
      block_values_back(back, value, values, first, rows, d, scratch);
      sharper += block_scores_back(back, score, scores, first, rows, d, scratch);
    });
    value_table_back(back.cue, value, values, back.into, back.memory_t, scratch);
  }
  score_table_back(back.cue, score, scores, back.into, back.memory_t, scratch);
  return static_cast<float>(sharper / static_cast<double>(shape.sharpness));
}

float backward(const CueShape& shape, const CueTensors<const float>& in, const CueOutputs& out,
               const CueOutputGradients& gradients, const CueTensors<float>& into, float* numbers) {
  Scratch scratch = aligned(numbers);
  clear(shape, into);
  if (shape.rows == 0) return 0.0f;
  const Cue cue{shape, in, by_slot(shape, in, scratch)};
  float sharper = 0.0f;
  if (scores_by_row(shape)) {
    float* const d_weights = scratch.take(kS);
    for (long b = 0; b < shape.rows; ++b)
      sharper += backward_row({cue, out, gradients, into, nullptr}, b, d_weights, scratch);
    return sharper;
  }
  float* const memory_t = scratch.take(static_cast<long>(kS) * shape.depth);
  zero(memory_t, static_cast<long>(kS) * shape.depth);
  sharper = backward_tables({cue, out, gradients, into, memory_t}, scratch);
  float* const memory = scratch.take(static_cast<long>(kS) * shape.depth);
  transpose({memory_t, kS}, shape.depth, kS, {memory, shape.depth});
  add(memory, into.memory, kS * shape.depth);
  return sharper;
}

}  // namespace

extern const CueTrainingKernels PREFRONTAL_JOIN(cue_training_, PREFRONTAL_ISA) = {
    scratch_of, forward, backward};

}  // namespace prefrontal::simd
