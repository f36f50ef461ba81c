#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

#include <cmath>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/cue.hpp"

namespace prefrontal::control {

using at::Tensor;
using c10::SymInt;

namespace {

void check_heads(const CueInputs& in) {
  const CueHeads& heads = in.heads;
  const SymInt &wide = in.output_weight.sym_size(0), &inputs = in.x.sym_size(1);
  if (heads.action_weight) {
    const Tensor& weight = *heads.action_weight;
    const bool plain = weight.dim() == 2 && weight.sym_size(1) == wide;
    expect("action_weight", weight, {kAny, plain ? wide : wide + inputs}, in.x);
    expect("action_bias", *heads.action_bias, {weight.sym_size(0)}, in.x);
  }
  expect("terrain_weight", *heads.terrain_weight, {kAny, wide}, in.x);
  expect("terrain_bias", *heads.terrain_bias, {heads.terrain_weight->sym_size(0)}, in.x);
}

Tensor brought_to_one(const Tensor& rows) {
  return rows / at::linalg_vector_norm(rows, 2, {-1}, true).clamp_min(1e-12);
}

Tensor sharpened(const CueInputs& in, const Tensor& scores) {
  const double depth = static_cast<double>(in.slots.sym_size(1).guard_int(__FILE__, __LINE__));
  const double whole = in.cosine ? depth : 1.0;
  if (!in.log_tau) return scores * (whole / std::sqrt(depth));
  return scores * (whole / (in.log_tau->exp() + 1e-3));
}

bool multiple(const SymInt& size, int most) { return size % 16 == 0 && size > 0 && size <= most; }

bool is(const Tensor& tensor, at::IntArrayRef sizes) {
  return tensor.sizes() == sizes && tensor.scalar_type() == at::kFloat && tensor.device().is_cpu();
}

bool is_matrix(const Tensor& tensor) { return tensor.dim() == 2; }

}  // namespace

void check(const CueInputs& in) {
  expect(in.name, in.x, {kAny, kAny});
  expect("slots", in.slots, {kAny, kAny}, in.x);
  const SymInt &inputs = in.x.sym_size(1), &depth = in.slots.sym_size(1);
  expect("query_weight", in.query_weight, {depth, inputs}, in.x);
  expect("query_bias", in.query_bias, {depth}, in.x);
  expect("key_weight", in.key_weight, {depth, depth}, in.x);
  expect("value_weight", in.value_weight, {depth, depth}, in.x);
  expect("value_bias", in.value_bias, {depth}, in.x);
  expect("output_weight", in.output_weight, {kAny, depth}, in.x);
  expect("output_bias", in.output_bias, {in.output_weight.sym_size(0)}, in.x);
  if (in.heads) check_heads(in);
  if (in.key_bias) expect("key_bias", *in.key_bias, {depth}, in.x);
  if (!in.log_tau) return;
  if (in.log_tau->dim() == 0)
    expect("log_tau", *in.log_tau, {}, in.x);
  else
    expect("log_tau", *in.log_tau, {1}, in.x);
}

bool plainly_fits(const CueInputs& in) {
  if (!is_matrix(in.x) || !is_matrix(in.slots) || !is_matrix(in.output_weight)) return false;
  const int64_t inputs = in.x.size(1), depth = in.slots.size(1), wide = in.output_weight.size(0);
  const bool read = is(in.x, {in.x.size(0), inputs}) && is(in.slots, {in.slots.size(0), depth}) &&
                    is(in.query_weight, {depth, inputs}) && is(in.query_bias, {depth}) &&
                    is(in.key_weight, {depth, depth}) && is(in.value_weight, {depth, depth}) &&
                    is(in.value_bias, {depth}) && is(in.output_weight, {wide, depth}) &&
                    is(in.output_bias, {wide}) && !in.key_bias && !in.log_tau;
  if (!read || !in.heads) return read;
  const CueHeads& heads = in.heads;
  return heads.action_weight && is(*heads.action_weight, {16, wide}) &&
         is(*heads.action_bias, {16}) && is(*heads.terrain_weight, {2, wide}) &&
         is(*heads.terrain_bias, {2});
}

bool on_kernel(const CueInputs& in) {
  if (in.x.scalar_type() != at::kFloat || !in.x.device().is_cpu()) return false;
  if (!is_matrix(in.x) || !is_matrix(in.slots) || !is_matrix(in.output_weight)) return false;
  if (in.slots.sym_size(0) != simd::kTrainingSlots ||
      !multiple(in.slots.sym_size(1), simd::kMostDepth) ||
      !multiple(in.x.sym_size(1), simd::kMostWidth) ||
      !multiple(in.output_weight.sym_size(0), simd::kMostWidth))
    return false;
  return !in.heads || ((!in.heads.action_bias || has_sizes(*in.heads.action_bias, {16})) &&
                       has_sizes(*in.heads.terrain_bias, {2}));
}

void check_backward(const CueInputs& in) {
  if (!plainly_fits(in)) check(in);
  TORCH_CHECK_VALUE(on_kernel(in), in.name, " must have the dtype and widths of a kernel, got ",
                    in.x.scalar_type(), " of shape ", in.x.sizes());
}

std::tuple<Tensor, Tensor> plain_read(const CueInputs& in) {
  Tensor query = at::linear(in.x, in.query_weight, in.query_bias);
  Tensor key = at::linear(in.slots, in.key_weight, in.key_bias);
  if (in.cosine) {
    query = brought_to_one(query);
    key = brought_to_one(key);
  }
  const Tensor weights = at::softmax(sharpened(in, at::matmul(query, key.t())), -1);
  const Tensor value = at::linear(in.slots, in.value_weight, in.value_bias);
  return {at::linear(at::matmul(weights, value), in.output_weight, in.output_bias), weights};
}

std::tuple<Tensor, Tensor> plain_cue(const CueInputs& in) {
  const CueHeads& heads = in.heads;
  const Tensor context = std::get<0>(plain_read(in));
  const Tensor terrain =
      at::sigmoid(at::linear(context, *heads.terrain_weight, *heads.terrain_bias));
  if (!heads.action_weight) return {Tensor(), terrain};
  const bool direct = heads.action_weight->sym_size(1) != context.sym_size(1);
  const Tensor seen = direct ? at::cat({context, in.x}, -1) : context;
  return {at::linear(seen, *heads.action_weight, *heads.action_bias), terrain};
}

}  // namespace prefrontal::control
