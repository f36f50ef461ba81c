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

struct RolloutInputs {
  const Tensor& first;
  const Tensor& h0;
  const Tensor& c0;
  TensorList lstm;
  TensorList output;
  int64_t steps;
};

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

void check(const RolloutInputs& in) {
  TORCH_CHECK_VALUE(in.steps >= 0, "steps must be at least 0, got ", in.steps);
  expect("first", in.first, {kAny, kAny});
  const c10::SymInt rows = in.first.sym_size(0), width = in.first.sym_size(1);
  expect("h0", in.h0, {kAny, rows, kAny}, in.first);
  const int64_t layers = in.h0.size(0);
  const c10::SymInt cells = in.h0.sym_size(2);
  TORCH_CHECK_VALUE(layers > 0, "h0 must have a layer, got ", in.h0.sym_sizes());
  expect("c0", in.c0, {layers, rows, cells}, in.first);
  TORCH_CHECK_VALUE(static_cast<int64_t>(in.lstm.size()) == kTensors * layers,
                    "lstm must be w_ih, w_hh, b_ih, b_hh for each of ", layers, " layers, got ",
                    in.lstm.size(), " tensors");
  expect_count("output", in.output, {"w1", "b1", "w2", "b2"});
  for (int64_t layer = 0; layer < layers; ++layer)
    check_layer(layer, in.lstm, layer ? cells : width, cells, in.first);
  expect("output's w1", in.output[0], {kAny, cells}, in.first);
  const c10::SymInt hidden = in.output[0].sym_size(0);
  expect("output's b1", in.output[1], {hidden}, in.first);
  expect("output's w2", in.output[2], {width, hidden}, in.first);
  expect("output's b2", in.output[3], {width}, in.first);
}

// One step of one layer; h and c move on.
void step(const Tensor& x, TensorList layer, Tensor& h, Tensor& c) {
  const Tensor gates = at::linear(x, layer[0], layer[2]) + at::linear(h, layer[1], layer[3]);
  const std::vector<Tensor> part = gates.chunk(4, -1);
  c = at::sigmoid(part[1]) * c + at::sigmoid(part[0]) * at::tanh(part[2]);
  h = at::sigmoid(part[3]) * at::tanh(c);
}

// Whole sixteens, and room for them.
bool fits(const RolloutInputs& in) {
  for (const int64_t numbers : {in.first.size(1), in.h0.size(2), in.output[0].size(0)})
    if (numbers % 16 != 0 || numbers > simd::kMostCells) return false;
  return in.first.size(0) <= std::numeric_limits<int>::max();
}

struct LstmRollout {
  static constexpr auto kName = "prefrontal::lstm_rollout";
  static constexpr auto kSchema =
      "lstm_rollout(Tensor first, Tensor h0, Tensor c0, Tensor[] lstm, Tensor[] output, int steps) "
      "-> (Tensor, Tensor, Tensor)";
  static constexpr bool kAutocast = true;
  using Signature = Results(const Tensor& first, const Tensor& h0, const Tensor& c0,
                            TensorList lstm, TensorList output, int64_t steps);
  using Inputs = RolloutInputs;

  static Results plain(const RolloutInputs& in) {
    check(in);
    std::vector<Tensor> h = in.h0.unbind(0), c = in.c0.unbind(0), predictions;
    Tensor x = in.first;
    for (int64_t t = 0; t < in.steps; ++t) {
      for (size_t layer = 0; layer < h.size(); ++layer) {
        step(x, in.lstm.slice(kTensors * layer, kTensors), h[layer], c[layer]);
        x = h[layer];
      }
      x = mlp(x, in.output);
      predictions.push_back(x);
    }
    const Tensor found =
        predictions.empty()
            ? in.first.new_empty_symint({in.first.sym_size(0), 0, in.first.sym_size(1)})
            : at::stack(predictions, 1);
    return {found, at::stack(h), at::stack(c)};
  }

  static Results on_cpu(const RolloutInputs& in) {
    check(in);
    if (!on_kernel(in.first) || !fits(in) || in.steps > std::numeric_limits<int>::max())
      return plain(in);
    const Contiguous weights(in.lstm), top(in.output), x(in.first);
    std::vector<simd::CellLayer> layers;
    for (int64_t at = 0; at < in.h0.size(0) * kTensors; at += kTensors) {
      const int inputs = static_cast<int>(in.lstm[at].size(1));
      layers.push_back({weights[at], weights[at + 1], weights[at + 2], weights[at + 3], inputs});
    }
    const Tensor h = in.h0.clone(at::MemoryFormat::Contiguous);
    const Tensor c = in.c0.clone(at::MemoryFormat::Contiguous);
    const Tensor predictions =
        at::empty({in.first.size(0), in.steps, in.first.size(1)}, in.first.options());
    const simd::CellLayers net = {layers.data(),
                                  static_cast<int>(layers.size()),
                                  static_cast<int>(in.h0.size(2)),
                                  {layer_at(top, 0), layer_at(top, 2)}};
    simd::operator_kernels().sequences->roll(
        net, {static_cast<int>(in.first.size(0)), static_cast<int>(in.steps), x[0],
              h.mutable_data_ptr<float>(), c.mutable_data_ptr<float>(),
              predictions.mutable_data_ptr<float>()});
    return {predictions, h, c};
  }

  static Results fake(const RolloutInputs& in) {
    check(in);
    return {in.first.new_empty_symint({in.first.sym_size(0), in.steps, in.first.sym_size(1)}),
            in.h0.new_empty_symint(in.h0.sym_sizes()), in.c0.new_empty_symint(in.c0.sym_sizes())};
  }
};

const Operator<LstmRollout> lstm_rollout;

}  // namespace
}  // namespace prefrontal::control::lstm_rollout_operator
