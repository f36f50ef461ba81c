// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/lstm.hpp"

#include "csrc/simd/kernels.hpp"
#include "csrc/simd/tanh.hpp"
#include "csrc/simd/v16.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

namespace prefrontal::simd {
namespace {

constexpr int kQuarters = kCells / kLanes;                                   // of a gate
constexpr int kUnits = kGates * kQuarters;                                   // v16 in all gates
constexpr int kAtOnce = kParts == 1 ? kUnits : kParts < 8 ? 8 / kParts : 1;  // in registers

// The inputs that are not zero: most of an event's slots are.
struct Active {
  int count = 0;
  int column[kColumns];
  float value[kColumns];

  void add(int at, float number) {
    column[count] = at;
    value[count] = number;
    count += number != 0.0f ? 1 : 0;
  }
};

template <int N>
PREFRONTAL_INLINE void sums_of(const Lstm& net, const Active& inputs, int from, float* out) {
  v16 sum[N];
  const float* first[N];
  for (int u = 0; u < N; ++u) {
    const int gate = (from + u) / kQuarters;
    const int row = (from + u) % kQuarters * kLanes;
    sum[u] = load(net.input_bias[gate] + row) + load(net.hidden_bias[gate] + row);
    first[u] = net.columns[gate][0] + row;
  }
  for (int k = 0; k < inputs.count; ++k) {
    const v16 value = splat(inputs.value[k]);
    const int column = inputs.column[k] * kCells;
    for (int u = 0; u < N; ++u) sum[u] = sum[u] + value * load(first[u] + column);
  }
  for (int u = 0; u < N; ++u) store(sum[u], out + (from + u) * kLanes);
}

void sums(const Lstm& net, const Active& inputs, int from, int to, float* out) {
  constexpr int kRest = kAtOnce < kQuarters ? kAtOnce : kQuarters;
  for (; from + kAtOnce <= to; from += kAtOnce) sums_of<kAtOnce>(net, inputs, from, out);
  for (; from < to; from += kRest) sums_of<kRest>(net, inputs, from, out);
}

void step(const Lstm& net, const float* x, bool first, LstmState& state, LstmTape* tape) {
  Active inputs;
  for (int j = 0; j < kInputs; ++j) inputs.add(j, x[j]);
  for (int j = 0; j < kCells && !first; ++j) inputs.add(kInputs + j, state.h[j]);
  if (tape) {
    for (int j = 0; j < kInputs; ++j) tape->input[j] = x[j];
    for (int j = 0; j < kCells; ++j) tape->input[kInputs + j] = first ? 0.0f : state.h[j];
  }
  float sum[kGates][kCells];
  if (first) {  // nothing to forget
    sums(net, inputs, 0, kQuarters, sum[0]);
    sums(net, inputs, 2 * kQuarters, kUnits, sum[0]);
  } else {
    sums(net, inputs, 0, kUnits, sum[0]);
  }
  for (int row = 0; row < kCells; row += kLanes) {
    const v16 i = sigmoid_of(load(sum[0] + row));
    const v16 f = first ? splat(0.0f) : sigmoid_of(load(sum[1] + row));
    const v16 g = tanh_of(load(sum[2] + row));
    const v16 o = sigmoid_of(load(sum[3] + row));
    const v16 c = first ? i * g : f * load(state.c + row) + i * g;
    const v16 tanh_c = tanh_of(c);
    store(c, state.c + row);
    store(o * tanh_c, state.h + row);
    if (!tape) continue;
    const v16 gates[kGates] = {i, f, g, o};
    for (int gate = 0; gate < kGates; ++gate) store(gates[gate], tape->gate[gate] + row);
    store(c, tape->c + row);
    store(tanh_c, tape->tanh_c + row);
  }
}

// The sum of all lanes, in one order whatever the width of a vector.
PREFRONTAL_INLINE float total(const v16& lanes) {
  float a[kLanes];
  store(lanes, a);
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) a[lane] += a[lane + half];
  }
  return a[0];
}

float logit(const Lstm& net, const float* h) {
  v16 sum = splat(0.0f);
  for (int row = 0; row < kCells; row += kLanes) sum = sum + load(net.head + row) * load(h + row);
  return total(sum) + net.head_bias;
}

// From the slopes in h and c after a step: those of its gates, and of c before it.
void back_through_gates(const float* c_before, const float* dh, float* dc, LstmTape& tape) {
  const v16 one = splat(1.0f);
  for (int row = 0; row < kCells; row += kLanes) {
    const v16 i = load(tape.gate[0] + row);
    const v16 f = load(tape.gate[1] + row);
    const v16 g = load(tape.gate[2] + row);
    const v16 o = load(tape.gate[3] + row);
    const v16 tanh_c = load(tape.tanh_c + row);
    const v16 before = c_before ? load(c_before + row) : splat(0.0f);
    const v16 h = load(dh + row);
    const v16 c = load(dc + row) + h * o * (one - tanh_c * tanh_c);
    store(c * g * (i * (one - i)), tape.slope[0] + row);
    store(c * before * (f * (one - f)), tape.slope[1] + row);
    store(c * i * (one - g * g), tape.slope[2] + row);
    store(h * tanh_c * (o * (one - o)), tape.slope[3] + row);
    store(c * f, dc + row);
  }
}

void backward(const Lstm& net, float error, LstmTape* tape, int steps) {
  float dh[kCells];
  float dc[kCells] = {};
  for (int row = 0; row < kCells; ++row) dh[row] = error * net.head[row];
  for (int t = steps - 1; t >= 0; --t) {
    back_through_gates(t > 0 ? tape[t - 1].c : nullptr, dh, dc, tape[t]);
    for (int j = 0; j < kCells && t > 0; ++j) {
      v16 sum = splat(0.0f);
      for (int gate = 0; gate < kGates; ++gate) {
        const float* column = net.columns[gate][kInputs + j];
        for (int row = 0; row < kCells; row += kLanes)
          sum = sum + load(column + row) * load(tape[t].slope[gate] + row);
      }
      dh[j] = total(sum);
    }
  }
}

template <class F>
PREFRONTAL_INLINE void move(F& theta, F& mean, F& energy, const F& slope, const AdamStep& adam) {
  const auto number = [&](float value) { return constant(value, slope); };
  mean = mean + number(0.1f) * (slope - mean);
  energy = energy * number(0.999f) + number(0.001f) * slope * slope;
  const F size = sqrt_of(energy) / number(adam.root) + number(1e-8f);
  theta = theta - number(adam.rate) * mean / size;
}

PREFRONTAL_INLINE void move_lanes(float* theta, float* mean, float* energy, const v16& slope,
                                  const AdamStep& adam) {
  v16 lanes = load(theta), m = load(mean), v = load(energy);
  move(lanes, m, v, slope, adam);
  store(lanes, theta);
  store(m, mean);
  store(v, energy);
}

void adam(Lstm& net, Lstm& mean, Lstm& energy, float error, const float* h, const LstmTape* tape,
          int steps, const AdamStep& adam) {
  for (int gate = 0; gate < kGates; ++gate) {
    for (int row = 0; row < kCells; row += kLanes) {
      for (int j = 0; j < kColumns; ++j) {
        v16 slope = splat(0.0f);
        for (int t = 0; t < steps; ++t)
          slope = slope + load(tape[t].slope[gate] + row) * splat(tape[t].input[j]);
        move_lanes(net.columns[gate][j] + row, mean.columns[gate][j] + row,
                   energy.columns[gate][j] + row, slope, adam);
      }
      v16 slope = splat(0.0f);
      for (int t = 0; t < steps; ++t) slope = slope + load(tape[t].slope[gate] + row);
      move_lanes(net.input_bias[gate] + row, mean.input_bias[gate] + row,
                 energy.input_bias[gate] + row, slope, adam);
      move_lanes(net.hidden_bias[gate] + row, mean.hidden_bias[gate] + row,
                 energy.hidden_bias[gate] + row, slope, adam);
    }
  }
  for (int row = 0; row < kCells; row += kLanes) {
    move_lanes(net.head + row, mean.head + row, energy.head + row, splat(error) * load(h + row),
               adam);
  }
  move(net.head_bias, mean.head_bias, energy.head_bias, error, adam);
}

}  // namespace

extern const LstmKernels PREFRONTAL_JOIN(lstm_, PREFRONTAL_ISA) = {step, logit, backward, adam};

}  // namespace prefrontal::simd
