// Attention over 16 memory slots with everything that is linear folded into tables, once for each
// instruction set. C headers only, like kernels.hpp.
//
//   w = softmax(S x + s), over |R [x 1]| first for cosine attention
//   action = V_a w + v_a + D x, terrain = sigmoid(V_t w + v_t), context = V_c w + v_c
#pragma once

namespace prefrontal::simd {

constexpr int kSlots = 16;
constexpr int kWorld = 32;                   // z_world
constexpr int kContext = 64;                 // z_self and z_world; also what a read gives
constexpr int kActions = 16;                 // of an action object
constexpr int kTerrain = 2;                  // w_harm, w_goal
constexpr int kValues = 16 + 16 + kContext;  // of a slot: action, terrain and zeros, context
constexpr int kNorms = 80;                   // kContext + 1 and zeros

// Matrices by columns, so that sixteen results stand side by side.
struct alignas(64) SlotTable {
  int inputs;  // kWorld or kContext
  int cosine;  // divide the scores by the length of the query
  int direct;  // the action reads the input too
  alignas(64) float score[kContext][kSlots];
  float score_start[kSlots];
  float value[kSlots][kValues];
  float value_start[kValues];
  float action[kWorld][kActions];    // D
  float norm[kContext + 1][kNorms];  // R, triangular: column j has its numbers in rows 0 to j
};

// Rows to read and where the results go; what is null is left out.
struct SlotRows {
  int rows;
  const float* x;  // rows x inputs
  float* weights;  // rows x kSlots
  float* action;   // rows x kActions
  float* terrain;  // rows x kTerrain
  float* context;  // rows x kContext
};

constexpr int kMostColumns = 4096;

struct SlotMatrix {
  const float* numbers;  // rows x columns
  int rows;
  int columns;         // up to kMostColumns
  const float* start;  // rows, or null
};

struct SlotKernels {
  // A row's results do not depend on the rows around it. The outputs must not overlap x.
  void (*read)(const SlotTable& table, const SlotRows& rows);
  // y = matrix x + start in double for each of up to kSlots vectors x, which end in zeros up to a
  // multiple of 16. Nothing of a result depends on the other vectors.
  void (*product)(const SlotMatrix& matrix, const double* x, int x_stride, double* y, int y_stride,
                  int vectors);
};

}  // namespace prefrontal::simd
