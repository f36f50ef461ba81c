// An LSTM that feeds on its own predictions, once for each instruction set. C headers only, like
// kernels.hpp.
//
//   i, f, g, o = W x + U h + (b + b'),  c = sigmoid(f) c + sigmoid(i) tanh(g),  h = sigmoid(o)
//   tanh(c) x_t+1 = W_2 relu(W_1 h_t + b_1) + b_2, with h_t of the last layer
#pragma once

#include "csrc/simd/rollouts.hpp"

namespace prefrontal::simd {

constexpr int kMostCells = 256;  // also of the numbers of x and the units of W_1

// As torch keeps it: gates in the order i, f, g, o, each of `cells` rows.
struct CellLayer {
  const float *w_ih, *w_hh, *b_ih, *b_hh;
  int inputs;
};

struct CellLayers {
  const CellLayer* layers;
  int count;
  int cells;  // this, `inputs` and the units of `output`: whole sixteens up to kMostCells
  Affine output[2];
};

struct SequenceRows {
  int rows;
  int steps;
  const float* first;  // rows x inputs
  float* h;            // layers x rows x cells; moves, like c
  float* c;
  float* predictions;  // rows x steps x inputs
};

struct SequenceKernels {
  // A row's results do not depend on the rows around it.
  void (*roll)(const CellLayers& cells, const SequenceRows& rows);
};

}  // namespace prefrontal::simd
