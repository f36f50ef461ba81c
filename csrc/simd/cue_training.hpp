// The context memory read with its weights as they are, forward and backward, once for each
// instruction set. C headers only, like kernels.hpp.
//
//   K = M W_k^T + b_k,  V = M W_v^T + b_v,  s = sharpness (W_q x + b_q) . K   (cosine: cos instead)
//   w = softmax(s),  c = W_o V^T w + b_o,  action = W_a c + b_a (or W_a [c x]),
//   terrain = sigmoid(W_t c + b_t)
//
// A few rows go through the weights one by one (50 k products); more of them through tables of what
// the sixteen slots give (700 k products once, then 2 k a row). Cosine takes a table for the keys.
#pragma once

namespace prefrontal::simd {

constexpr int kTrainingSlots = 16;
constexpr int kFewRows = 8;  // below it rows go through the weights one by one
constexpr int kMostDepth = 512;
constexpr int kMostWidth = 128;

struct CueShape {
  long rows;
  int depth;    // D of the memory [16, D]: a multiple of 16
  int inputs;   // Q of x: a multiple of 16
  int context;  // C: a multiple of 16
  bool heads;   // action and terrain come out; else the context
  bool direct;  // the action head reads x behind the context
  bool cosine;
  float sharpness;  // of the scores: 1 / tau, or D / tau for cosine
  bool tempered;    // the gradient of the sharpness is wanted
};

// As torch keeps them: [outputs, inputs], rows one after the other.
template <class Number>
struct CueTensors {
  Number* x;
  Number* memory;
  Number* query_weight;
  Number* query_bias;
  Number* key_weight;
  Number* value_weight;
  Number* value_bias;
  Number* output_weight;
  Number* output_bias;
  Number* action_weight;  // these four are null without heads
  Number* action_bias;
  Number* terrain_weight;
  Number* terrain_bias;
  Number* key_bias;  // may be null
};

// What comes out; what is null is left out, but for `weights`.
struct CueOutputs {
  float* weights;  // rows x 16
  float* context;  // rows x context
  float* action;   // rows x 16
  float* terrain;  // rows x 2
};

// Gradients of the outputs; null counts as zeros.
struct CueOutputGradients {
  const float* weights;
  const float* context;
  const float* action;
  const float* terrain;
};

struct CueTrainingKernels {
  // Floats of scratch that either call needs for such a shape.
  long (*scratch)(const CueShape& shape);
  void (*forward)(const CueShape& shape, const CueTensors<const float>& in, const CueOutputs& out,
                  float* scratch);
  // `out` holds what forward gave (weights, and terrain where its gradient is). Every gradient of
  // `into` is written, but a null action head (with a null gradient of the action) and a null x.
  // Returns the gradient of the sharpness, or 0 where it is not wanted.
  float (*backward)(const CueShape& shape, const CueTensors<const float>& in, const CueOutputs& out,
                    const CueOutputGradients& gradients, const CueTensors<float>& into,
                    float* scratch);
};

}  // namespace prefrontal::simd
