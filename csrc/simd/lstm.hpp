// An LSTM of 16 inputs and 64 cells with one logit on top: forward, backward and Adam, once for
// each instruction set. C headers only, like kernels.hpp.
//
//   i, f, o = sigmoid(W x + U h + b + b'), g = tanh(the same), c' = f c + i g, h' = o tanh c'
//   logit = head h' + head_bias
#pragma once

namespace prefrontal::simd {

constexpr int kInputs = 16;
constexpr int kCells = 64;
constexpr int kGates = 4;  // in torch's order: i, f, g, o
constexpr int kColumns = kInputs + kCells;

// Also the shape of its gradient's moments.
struct alignas(64) Lstm {
  float columns[kGates][kColumns][kCells];  // of W, then of U: a sparse input skips columns
  float input_bias[kGates][kCells];
  float hidden_bias[kGates][kCells];
  float head[kCells];
  float head_bias;
};

struct alignas(64) LstmState {
  float h[kCells];
  float c[kCells];
};

// What one step leaves for the way back.
struct alignas(64) LstmTape {
  float input[kColumns];        // x and the h before
  float gate[kGates][kCells];   // after sigmoid and tanh
  float slope[kGates][kCells];  // of the loss, before sigmoid and tanh; backward fills it in
  float c[kCells];
  float tanh_c[kCells];
};

// theta -= rate m / (sqrt(v) / root + epsilon) after m and v have moved towards the gradient.
struct AdamStep {
  float rate;  // lr / (1 - beta1^t)
  float root;  // sqrt(1 - beta2^t)
};

struct LstmKernels {
  // One event. `first`: the state counts as zero. `tape` may be null.
  void (*step)(const Lstm& net, const float* x, bool first, LstmState& state, LstmTape* tape);
  float (*logit)(const Lstm& net, const float* h);
  // Fills in the slopes of all `steps`, where the loss has the slope `error` in the logit.
  void (*backward)(const Lstm& net, float error, LstmTape* tape, int steps);
  // One step of Adam (betas 0.9 and 0.999, epsilon 1e-8) from the slopes and the last h.
  void (*adam)(Lstm& net, Lstm& mean, Lstm& energy, float error, const float* h,
               const LstmTape* tape, int steps, const AdamStep& adam);
};

}  // namespace prefrontal::simd
