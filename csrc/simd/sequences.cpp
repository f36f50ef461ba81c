// Compiled once for each instruction set, like kernels.cpp. No standard library here.
//
// For few rows, where reading the weights is the cost: they are read once for up to kMostRows rows
// and stay as torch keeps them, sixteen inputs in the lanes; a sum goes across the lanes at its
// end.
#include "csrc/simd/sequences.hpp"

#include "csrc/simd/across.hpp"
#include "csrc/simd/operators.hpp"
#include "csrc/simd/tanh.hpp"
#include "csrc/simd/v16.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

namespace prefrontal::simd {
namespace {

constexpr int kMostRows = 16;
constexpr int kTileRows = kParts == 1 ? 4 : kParts == 2 ? 2 : 1;
constexpr int kTileUnits = kParts == 1 ? 4 : 2;  // times kTileRows sums fit in registers
constexpr int kUnitsOfOne = kParts == 1 ? 8 : kParts == 2 ? 4 : 2;

// W times x of each row; sums of two such terms make a gate.
struct Term {
  const float* weight;
  int inputs;
  const float* x;
  long x_stride;
};

struct Sums {
  const Term* terms;
  int count;
  const float* bias;
  const float* other_bias;  // or null
  int units;
  float* y;
  long y_stride;
};

template <int U, int R>
PREFRONTAL_INLINE void tile(const Sums& sums, int unit, int row) {
  v16 sum[U][R];
  for (int u = 0; u < U; ++u)
    for (int r = 0; r < R; ++r) sum[u][r] = splat(0.0f);
  for (int k = 0; k < sums.count; ++k) {
    const Term& term = sums.terms[k];
    const float* weight = term.weight + unit * static_cast<long>(term.inputs);
    const float* x = term.x + row * term.x_stride;
    for (int j = 0; j < term.inputs; j += kLanes) {
      v16 input[R];
      for (int r = 0; r < R; ++r) input[r] = load(x + r * term.x_stride + j);
      for (int u = 0; u < U; ++u) {
        const v16 w = load(weight + u * term.inputs + j);
        for (int r = 0; r < R; ++r) sum[u][r] = sum[u][r] + w * input[r];
      }
    }
  }
  for (int u = 0; u < U; ++u) {
    float start = sums.bias[unit + u];
    if (sums.other_bias) start += sums.other_bias[unit + u];
    for (int r = 0; r < R; ++r)
      sums.y[(row + r) * sums.y_stride + unit + u] = total(sum[u][r]) + start;
  }
}

// The rows together, so that a weight is read once.
void add_up(const Sums& sums, int rows) {
  if (rows == 1) {
    for (int unit = 0; unit < sums.units; unit += kUnitsOfOne) tile<kUnitsOfOne, 1>(sums, unit, 0);
    return;
  }
  for (int unit = 0; unit < sums.units; unit += kTileUnits) {
    int row = 0;
    for (; row + kTileRows <= rows; row += kTileRows) tile<kTileUnits, kTileRows>(sums, unit, row);
    for (; row < rows; ++row) tile<kTileUnits, 1>(sums, unit, row);
  }
}

void move(const float* gates, int cells, float* h, float* c) {
  for (int at = 0; at < cells; at += kLanes) {
    const v16 i = sigmoid_of(load(gates + at));
    const v16 f = sigmoid_of(load(gates + cells + at));
    const v16 g = tanh_of(load(gates + 2 * cells + at));
    const v16 o = sigmoid_of(load(gates + 3 * cells + at));
    const v16 moved = f * load(c + at) + i * g;
    store(moved, c + at);
    store(o * tanh_of(moved), h + at);
  }
}

struct Group {
  const CellLayers& net;
  const SequenceRows& io;
  int first;
  int count;

  void step(const float* x, long x_stride, float* prediction, long apart) const {
    float gates[kMostRows * 4 * kMostCells];
    for (int at = 0; at < net.count; ++at) {
      const CellLayer& layer = net.layers[at];
      const long place = (static_cast<long>(at) * io.rows + first) * net.cells;
      float* h = io.h + place;
      const Term terms[2] = {{layer.w_ih, layer.inputs, x, x_stride},
                             {layer.w_hh, net.cells, h, net.cells}};
      const int units = 4 * net.cells;
      add_up({terms, 2, layer.b_ih, layer.b_hh, units, gates, units}, count);
      for (int r = 0; r < count; ++r)
        move(gates + r * units, net.cells, h + r * net.cells, io.c + place + r * net.cells);
      x = h;
      x_stride = net.cells;
    }
    const Affine& middle = net.output[0];
    const Affine& last = net.output[1];
    float hidden[kMostRows * kMostCells];
    const Term into = {middle.weight, net.cells, x, x_stride};
    add_up({&into, 1, middle.bias, nullptr, middle.units, hidden, middle.units}, count);
    const v16 none = splat(0.0f);
    for (int at = 0; at < count * middle.units; at += kLanes) {
      const v16 sum = load(hidden + at);
      store(if_less(sum, none, none, sum), hidden + at);
    }
    const Term out = {last.weight, middle.units, hidden, middle.units};
    add_up({&out, 1, last.bias, nullptr, last.units, prediction, apart}, count);
  }

  void roll() const {
    const int width = net.output[1].units;
    const long apart = static_cast<long>(io.steps) * width;
    const float* x = io.first + first * static_cast<long>(width);
    long x_stride = width;
    for (int t = 0; t < io.steps; ++t) {
      float* prediction = io.predictions + first * apart + t * static_cast<long>(width);
      step(x, x_stride, prediction, apart);
      x = prediction;
      x_stride = apart;
    }
  }
};

void roll(const CellLayers& net, const SequenceRows& io) {
  for (int row = 0; row < io.rows; row += kMostRows) {
    const int left = io.rows - row;
    Group{net, io, row, left < kMostRows ? left : kMostRows}.roll();
  }
}

}  // namespace

extern const SequenceKernels PREFRONTAL_JOIN(sequences_, PREFRONTAL_ISA) = {roll};

}  // namespace prefrontal::simd
