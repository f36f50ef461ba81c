// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/slots.hpp"

#include "csrc/simd/across.hpp"
#include "csrc/simd/exp.hpp"
#include "csrc/simd/kernels.hpp"
#include "csrc/simd/tanh.hpp"
#include "csrc/simd/v16.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

namespace prefrontal::simd {
namespace {

constexpr int kAtOnce = kParts == 1 ? 8 : kParts == 2 ? 4 : 2;  // rows whose sums fit in registers
constexpr int kQuarters = 4;  // of a sum: four short chains of additions instead of a long one

// sum[r] = sum over j < count of x[r][j] * columns[j], quarter by quarter.
template <int R>
PREFRONTAL_INLINE void weighted(const float* const (&x)[R], int count, const float* columns,
                                int stride, v16 (&sum)[R]) {
  const int length = count / kQuarters;
  if constexpr (R == 1) {
    v16 part[kQuarters];
    for (int q = 0; q < kQuarters; ++q)
      part[q] = splat(x[0][q * length]) * load(columns + q * length * stride);
    for (int j = 1; j < length; ++j) {
      for (int q = 0; q < kQuarters; ++q) {
        const int at = q * length + j;
        part[q] = part[q] + splat(x[0][at]) * load(columns + at * stride);
      }
    }
    sum[0] = ((part[0] + part[1]) + part[2]) + part[3];
  } else {
    for (int q = 0; q < kQuarters; ++q) {
      v16 part[R];
      const v16 first = load(columns + q * length * stride);
      for (int r = 0; r < R; ++r) part[r] = splat(x[r][q * length]) * first;
      for (int j = 1; j < length; ++j) {
        const int at = q * length + j;
        const v16 column = load(columns + at * stride);
        for (int r = 0; r < R; ++r) part[r] = part[r] + splat(x[r][at]) * column;
      }
      for (int r = 0; r < R; ++r) sum[r] = q == 0 ? part[r] : sum[r] + part[r];
    }
  }
}

// |R [x 1]| of one row; one that is 0 counts as tiny, so that a query of nothing weighs all alike.
PREFRONTAL_INLINE float length_of(const SlotTable& table, const float* x) {
  const int blocks = table.inputs / kLanes + 1;
  v16 part[kNorms / kLanes] = {};
  for (int b = 0; b < blocks; ++b) part[b] = load(table.norm[table.inputs] + b * kLanes);
  for (int j = 0; j < table.inputs; ++j) {
    const v16 value = splat(x[j]);
    for (int b = 0; b <= j / kLanes; ++b)
      part[b] = part[b] + value * load(table.norm[j] + b * kLanes);
  }
  v16 squares = part[0] * part[0];
  for (int b = 1; b < blocks; ++b) squares = squares + part[b] * part[b];
  const float length = sqrt_of(total(squares));
  return if_less(length, 1e-12f, 1e-12f, length);
}

template <int R>
PREFRONTAL_INLINE void softmax(const SlotTable& table, const float* const (&x)[R],
                               float (&weights)[R][kSlots]) {
  v16 score[R] = {};
  weighted<R>(x, table.inputs, table.score[0], kSlots, score);
  const v16 start = load(table.score_start);
  for (int r = 0; r < R; ++r) {
    score[r] = score[r] + start;
    if (table.cosine) score[r] = score[r] / splat(length_of(table, x[r]));
  }
  for (int r = 0; r < R; ++r) {
    const v16 share = exp_of(score[r] - splat(largest(score[r])));
    store(share / splat(total(share)), weights[r]);
  }
}

// The sixteen values of each row that start at `column` of the table.
template <int R>
PREFRONTAL_INLINE void values(const SlotTable& table, const float* const (&weights)[R], int column,
                              v16 (&sum)[R]) {
  weighted<R>(weights, kSlots, table.value[0] + column, kValues, sum);
  const v16 start = load(table.value_start + column);
  for (int r = 0; r < R; ++r) sum[r] = sum[r] + start;
}

template <int R>
PREFRONTAL_INLINE void read_rows(const SlotTable& table, const SlotRows& io, int first) {
  const float* x[R];
  for (int r = 0; r < R; ++r) x[r] = io.x + (first + r) * static_cast<long>(table.inputs);
  float weights[R][kSlots];
  softmax<R>(table, x, weights);
  const float* w[R];
  for (int r = 0; r < R; ++r) w[r] = weights[r];
  v16 sum[R] = {};
  if (io.weights) {
    for (int r = 0; r < R; ++r)
      store(load(w[r]), io.weights + (first + r) * static_cast<long>(kSlots));
  }
  if (io.terrain) {
    values<R>(table, w, kActions, sum);
    float logits[kLanes] = {};
    for (int r = 0; r < R; ++r) {
      float lanes[kLanes];
      store(sum[r], lanes);
      for (int i = 0; i < kTerrain; ++i) logits[r * kTerrain + i] = lanes[i];
    }
    store_first(sigmoid_of(load(logits)), io.terrain + first * static_cast<long>(kTerrain),
                R * kTerrain);
  }
  if (io.action) {
    values<R>(table, w, 0, sum);
    if (table.direct) {
      v16 own[R] = {};
      weighted<R>(x, kWorld, table.action[0], kActions, own);
      for (int r = 0; r < R; ++r) sum[r] = sum[r] + own[r];
    }
    for (int r = 0; r < R; ++r)
      store(sum[r], io.action + (first + r) * static_cast<long>(kActions));
  }
  for (int at = 0; io.context && at < kContext; at += kLanes) {
    values<R>(table, w, 2 * kLanes + at, sum);
    for (int r = 0; r < R; ++r)
      store(sum[r], io.context + (first + r) * static_cast<long>(kContext) + at);
  }
}

void read(const SlotTable& table, const SlotRows& io) {
  int row = 0;
  for (; row + kAtOnce <= io.rows; row += kAtOnce) read_rows<kAtOnce>(table, io, row);
  for (; row < io.rows; ++row) read_rows<1>(table, io, row);
}

#if PREFRONTAL_V16_BYTES == 4
typedef double native_d;
typedef double in_memory_d;
#else
typedef double native_d __attribute__((vector_size(PREFRONTAL_V16_BYTES)));
typedef double in_memory_d
    __attribute__((vector_size(PREFRONTAL_V16_BYTES), aligned(8), may_alias));
#endif
constexpr int kPairs = kLanes * sizeof(double) / sizeof(native_d);

// The sum of row[j] x[j] over whole sixteens, by lanes first and then across them.
PREFRONTAL_INLINE double dot(const double* row, const double* x, int columns) {
  native_d part[kPairs] = {};
  for (int j = 0; j < columns; j += kLanes) {
    for (int p = 0; p < kPairs; ++p)
      part[p] = part[p] + reinterpret_cast<const in_memory_d*>(row + j)[p] *
                              reinterpret_cast<const in_memory_d*>(x + j)[p];
  }
  for (int half = kPairs / 2; half > 0; half /= 2)
    for (int p = 0; p < half; ++p) part[p] = part[p] + part[p + half];
  double lanes[kLanes / kPairs];
  memcpy(lanes, part, sizeof lanes);
  for (int half = kLanes / kPairs / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
}

void product(const SlotMatrix& matrix, const double* x, int x_stride, double* y, int y_stride,
             int vectors) {
  double wide[kMostColumns];
  const int columns = (matrix.columns + kLanes - 1) / kLanes * kLanes;
  for (int j = matrix.columns; j < columns; ++j) wide[j] = 0.0;
  for (int i = 0; i < matrix.rows; ++i) {
    const float* row = matrix.numbers + i * static_cast<long>(matrix.columns);
    for (int j = 0; j < matrix.columns; ++j) wide[j] = static_cast<double>(row[j]);
    const double start = matrix.start ? static_cast<double>(matrix.start[i]) : 0.0;
    for (int v = 0; v < vectors; ++v)
      y[v * static_cast<long>(y_stride) + i] =
          start + dot(wide, x + v * static_cast<long>(x_stride), columns);
  }
}

}  // namespace

extern const SlotKernels PREFRONTAL_JOIN(slots_, PREFRONTAL_ISA) = {read, product};

}  // namespace prefrontal::simd
