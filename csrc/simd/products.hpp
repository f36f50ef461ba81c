// Small dense products of row-major matrices, sixteen columns at a time. A result depends only on
// its own row and column: the same sums in the same order whatever the blocking and the processor.
#pragma once

#include "csrc/simd/across.hpp"
#include "csrc/simd/v16.hpp"

namespace prefrontal::simd {
namespace {

// a(i, k) = numbers[i * row + k * step]: step 1 for a matrix as it lies, row 1 for its transpose.
struct Left {
  const float* numbers;
  long row;
  long step;
};

// Rows of whole sixteens; row k starts at numbers + k * stride.
struct Right {
  const float* numbers;
  long stride;
};

struct Out {
  float* numbers;
  long stride;
};

constexpr int kRowsAtOnce = kParts == 1 ? 8 : kParts == 2 ? 4 : 2;  // whose sums fit in registers
constexpr int kPanelsAtOnce = kRowsAtOnce;
constexpr int kChain = 32;  // terms added one after the other; such sums are then added up

template <bool value>
struct First {
  constexpr operator bool() const { return value; }
};

// c[r][p] for R rows and P panels of sixteen columns: sums over k < count, added to c or put there.
template <int R, int P>
PREFRONTAL_INLINE void product_block(const Left& a, const Right& b, int count, const Out& c,
                                     bool fresh) {
  for (int from = 0; from < count; from += kChain) {
    const int to = from + kChain < count ? from + kChain : count;
    v16 sum[R][P] = {};
    const auto step = [&](int k, auto first) {
      v16 right[P];
      for (int p = 0; p < P; ++p) right[p] = load(b.numbers + k * b.stride + p * kLanes);
      for (int r = 0; r < R; ++r) {
        const v16 left = splat(a.numbers[r * a.row + k * a.step]);
        for (int p = 0; p < P; ++p)
          sum[r][p] = first ? left * right[p] : sum[r][p] + left * right[p];
      }
    };
    step(from, First<true>{});
    for (int k = from + 1; k < to; ++k) step(k, First<false>{});
    const bool first = fresh && from == 0;
    for (int r = 0; r < R; ++r) {
      for (int p = 0; p < P; ++p) {
        float* to_c = c.numbers + r * c.stride + p * kLanes;
        store(first ? sum[r][p] : load(to_c) + sum[r][p], to_c);
      }
    }
  }
}

// c = a b (fresh) or c + a b, for `rows` rows and `columns` columns, a multiple of 16.
inline void product(const Left& a, const Right& b, const Out& c, int rows, int columns, int count,
                    bool fresh = true) {
  int i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce) {
    const Left left = {a.numbers + i * a.row, a.row, a.step};
    for (int j = 0; j < columns; j += kLanes)
      product_block<kRowsAtOnce, 1>(left, {b.numbers + j, b.stride}, count,
                                    {c.numbers + i * c.stride + j, c.stride}, fresh);
  }
  for (; i < rows; ++i) {
    const Left left = {a.numbers + i * a.row, a.row, a.step};
    int j = 0;
    for (; j + kPanelsAtOnce * kLanes <= columns; j += kPanelsAtOnce * kLanes)
      product_block<1, kPanelsAtOnce>(left, {b.numbers + j, b.stride}, count,
                                      {c.numbers + i * c.stride + j, c.stride}, fresh);
    for (; j < columns; j += kLanes)
      product_block<1, 1>(left, {b.numbers + j, b.stride}, count,
                          {c.numbers + i * c.stride + j, c.stride}, fresh);
  }
}

// y[n] = w[n] . x + start[n] for rows w of `count` numbers, a multiple of 16; start may be null.
inline void dots(const Right& w, const float* x, const float* start, int rows, int count,
                 float* y) {
  constexpr int kAtOnce = 4;
  const auto put = [&](int n, const v16& sum) { y[n] = (start ? start[n] : 0.0f) + total(sum); };
  int n = 0;
  for (; n + kAtOnce <= rows; n += kAtOnce) {
    v16 sum[kAtOnce];
    const float* row = w.numbers + n * w.stride;
    for (int r = 0; r < kAtOnce; ++r) sum[r] = load(row + r * w.stride) * load(x);
    for (int k = kLanes; k < count; k += kLanes) {
      const v16 right = load(x + k);
      for (int r = 0; r < kAtOnce; ++r) sum[r] = sum[r] + load(row + r * w.stride + k) * right;
    }
    for (int r = 0; r < kAtOnce; ++r) put(n + r, sum[r]);
  }
  for (; n < rows; ++n) {
    v16 sum = load(w.numbers + n * w.stride) * load(x);
    for (int k = kLanes; k < count; k += kLanes)
      sum = sum + load(w.numbers + n * w.stride + k) * load(x + k);
    put(n, sum);
  }
}

// out[j][i] = in[i][j] for i < rows, j < columns.
inline void transpose(const Right& in, int rows, int columns, const Out& out) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      out.numbers[j * out.stride + i] = in.numbers[i * in.stride + j];
}

}  // namespace
}  // namespace prefrontal::simd
