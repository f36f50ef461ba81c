// lstm_rollout: an LSTM and an output MLP that feed on their own predictions.
#include <ATen/ATen.h>

#include <limits>
#include <string>
#include <tuple>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/control/torch/rollout_layers.hpp"
#include "csrc/simd/operator_dispatch.hpp"

namespace prefrontal::control::lstm_rollout_operator {
namespace {

using at::Tensor;
using at::TensorList;
using Results = std::tuple<Tensor, Tensor, Tensor>;

constexpr int kTensors = 4;  // of a layer: w_ih, w_hh, b_ih, b_hh

// --- schema -----------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "lstm_rollout(Tensor first, Tensor h0, Tensor c0, Tensor[] lstm, Tensor[] output, int steps) "
      "-> (Tensor, Tensor, Tensor)");
}

using Signature = Results(const Tensor&, const Tensor&, const Tensor&, TensorList, TensorList,
                          int64_t);

c10::TypedOperatorHandle<Signature> handle() {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("prefrontal::lstm_rollout", "")
                             .typed<Signature>();
  return op;
}

Results lstm_rollout(const Tensor& first, const Tensor& h0, const Tensor& c0, TensorList lstm,
                     TensorList output, int64_t steps) {
  return handle().call(first, h0, c0, lstm, output, steps);
}

void check_layer(int64_t layer, TensorList lstm, const c10::SymInt& inputs,
                 const c10::SymInt& cells, const Tensor& like) {
  const auto part = [&](int at, const char* name, std::initializer_list<c10::SymInt> sizes) {
    const std::string whole = std::string("lstm's ") + name + " of layer " + std::to_string(layer);
    expect(whole.c_str(), lstm[kTensors * layer + at], sizes, like);
  };
  part(0, "w_ih", {cells * 4, inputs});
  part(1, "w_hh", {cells * 4, cells});
  part(2, "b_ih", {cells * 4});
  part(3, "b_hh", {cells * 4});
}

void check(const Tensor& first, const Tensor& h0, const Tensor& c0, TensorList lstm,
           TensorList output, int64_t steps) {
  TORCH_CHECK_VALUE(steps >= 0, "steps must be at least 0, got ", steps);
  expect("first", first, {kAny, kAny});
  const c10::SymInt rows = first.sym_size(0), width = first.sym_size(1);
  expect("h0", h0, {kAny, rows, kAny}, first);
  const int64_t layers = h0.size(0);
  const c10::SymInt cells = h0.sym_size(2);
  TORCH_CHECK_VALUE(layers > 0, "h0 must have a layer, got ", h0.sym_sizes());
  expect("c0", c0, {layers, rows, cells}, first);
  TORCH_CHECK_VALUE(static_cast<int64_t>(lstm.size()) == kTensors * layers,
                    "lstm must be w_ih, w_hh, b_ih, b_hh for each of ", layers, " layers, got ",
                    lstm.size(), " tensors");
  expect_count("output", output, {"w1", "b1", "w2", "b2"});
  for (int64_t layer = 0; layer < layers; ++layer)
    check_layer(layer, lstm, layer ? cells : width, cells, first);
  expect("output's w1", output[0], {kAny, cells}, first);
  const c10::SymInt hidden = output[0].sym_size(0);
  expect("output's b1", output[1], {hidden}, first);
  expect("output's w2", output[2], {width, hidden}, first);
  expect("output's b2", output[3], {width}, first);
}

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

// One step of one layer; h and c move on.
void step(const Tensor& x, TensorList layer, Tensor& h, Tensor& c) {
  const Tensor gates = at::linear(x, layer[0], layer[2]) + at::linear(h, layer[1], layer[3]);
  const std::vector<Tensor> part = gates.chunk(4, -1);
  c = at::sigmoid(part[1]) * c + at::sigmoid(part[0]) * at::tanh(part[2]);
  h = at::sigmoid(part[3]) * at::tanh(c);
}

Results plain(const Tensor& first, const Tensor& h0, const Tensor& c0, TensorList lstm,
              TensorList output, int64_t steps) {
  check(first, h0, c0, lstm, output, steps);
  std::vector<Tensor> h = h0.unbind(0), c = c0.unbind(0), predictions;
  Tensor x = first;
  for (int64_t t = 0; t < steps; ++t) {
    for (size_t layer = 0; layer < h.size(); ++layer) {
      step(x, lstm.slice(kTensors * layer, kTensors), h[layer], c[layer]);
      x = h[layer];
    }
    x = mlp(x, output);
    predictions.push_back(x);
  }
  const Tensor found = predictions.empty()
                           ? first.new_empty_symint({first.sym_size(0), 0, first.sym_size(1)})
                           : at::stack(predictions, 1);
  return {found, at::stack(h), at::stack(c)};
}

// Whole sixteens, and room for them.
bool fits(const Tensor& first, const Tensor& h0, TensorList output) {
  for (const int64_t numbers : {first.size(1), h0.size(2), output[0].size(0)})
    if (numbers % 16 != 0 || numbers > simd::kMostCells) return false;
  return first.size(0) <= std::numeric_limits<int>::max();
}

Results on_cpu(const Tensor& first, const Tensor& h0, const Tensor& c0, TensorList lstm,
               TensorList output, int64_t steps) {
  check(first, h0, c0, lstm, output, steps);
  if (!on_kernel(first) || !fits(first, h0, output) || steps > std::numeric_limits<int>::max())
    return plain(first, h0, c0, lstm, output, steps);
  const Contiguous weights(lstm), top(output), x(first);
  std::vector<simd::CellLayer> layers;
  for (int64_t at = 0; at < h0.size(0) * kTensors; at += kTensors) {
    const int inputs = static_cast<int>(lstm[at].size(1));
    layers.push_back({weights[at], weights[at + 1], weights[at + 2], weights[at + 3], inputs});
  }
  const Tensor h = h0.clone(at::MemoryFormat::Contiguous);
  const Tensor c = c0.clone(at::MemoryFormat::Contiguous);
  const Tensor predictions = at::empty({first.size(0), steps, first.size(1)}, first.options());
  const simd::CellLayers net = {layers.data(),
                                static_cast<int>(layers.size()),
                                static_cast<int>(h0.size(2)),
                                {layer_at(top, 0), layer_at(top, 2)}};
  simd::operator_kernels().sequences->roll(
      net,
      {static_cast<int>(first.size(0)), static_cast<int>(steps), x[0], h.mutable_data_ptr<float>(),
       c.mutable_data_ptr<float>(), predictions.mutable_data_ptr<float>()});
  return {predictions, h, c};
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) { m.impl("lstm_rollout", plain); }
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) { m.impl("lstm_rollout", plain); }
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("lstm_rollout", on_cpu); }

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("lstm_rollout", InFloat32<at::kCPU, Signature, lstm_rollout>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("lstm_rollout", InFloat32<at::kCUDA, Signature, lstm_rollout>::call);
}

// --- gradient: autograd follows the plain form, whose gradients have gradients
// ---------------------

Results with_graph(c10::DispatchKeySet keys, const Tensor& first, const Tensor& h0,
                   const Tensor& c0, TensorList lstm, TensorList output, int64_t steps) {
  if (recorded(first, h0, c0, lstm, output)) return plain(first, h0, c0, lstm, output, steps);
  return handle().redispatch(below_autograd(keys), first, h0, c0, lstm, output, steps);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) { m.impl("lstm_rollout", with_graph); }

// --- fake: the shapes alone
// ------------------------------------------------------------------------

Results fake(const Tensor& first, const Tensor& h0, const Tensor& c0, TensorList lstm,
             TensorList output, int64_t steps) {
  check(first, h0, c0, lstm, output, steps);
  return {first.new_empty_symint({first.sym_size(0), steps, first.sym_size(1)}),
          h0.new_empty_symint(h0.sym_sizes()), c0.new_empty_symint(c0.sym_sizes())};
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) { m.impl("lstm_rollout", fake); }

}  // namespace
}  // namespace prefrontal::control::lstm_rollout_operator
