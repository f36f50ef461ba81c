// The gradients of score_trajectories, as formulas that have gradients themselves.
#include <ATen/ATen.h>

#include "csrc/control/torch/score.hpp"

namespace prefrontal::control {

using at::Tensor;
using at::TensorList;

namespace {

// Of a layer y = relu(x W^T + b): adds to those of its inputs.
struct Layer {
  const Tensor& x;  // rows
  const Tensor& weight;
  Tensor y;

  Layer(const Tensor& x, const Tensor& weight, const Tensor& bias)
      : x(x), weight(weight), y(at::relu(at::linear(x, weight, bias))) {}

  // Appends those of the weight and the bias, gives that of x.
  Tensor backward(const Tensor& grad, std::vector<Tensor>& found) const {
    const Tensor before = grad * (y > 0).to(grad.scalar_type());
    found.push_back(before.t().mm(x));
    found.push_back(before.sum(0));
    return before.mm(weight);
  }
};

// Of y = h W^T + b with one unit, grad [rows, 1]: the same.
Tensor top_backward(const Tensor& grad, const Tensor& hidden, const Tensor& weight,
                    std::vector<Tensor>& found) {
  found.push_back(grad.t().mm(hidden));
  found.push_back(grad.sum(0));
  return grad.mm(weight);
}

Tensor head_backward(const Tensor& grad, const Tensor& x, TensorList head, bool sigmoid,
                     std::vector<Tensor>& found) {
  const Layer hidden(x, head[0], head[1]);
  Tensor raw = grad.unsqueeze(-1);
  if (sigmoid) {
    const Tensor value = at::sigmoid(at::linear(hidden.y, head[2], head[3]));
    raw = raw * value * (1.0 - value);
  }
  std::vector<Tensor> last;
  const Tensor below = top_backward(raw, hidden.y, head[2], last);
  const Tensor of_x = hidden.backward(below, found);
  found.insert(found.end(), last.begin(), last.end());
  return of_x;
}

Tensor residue_backward(const Tensor& grad, const Tensor& x, TensorList residue, double bandwidth,
                        std::vector<Tensor>& found) {
  const Tensor &centres = residue[0], &weights = residue[1];
  const double narrowness = 0.5 / (bandwidth * bandwidth);
  const Tensor apart = x.unsqueeze(1) - centres;
  const Tensor near = at::exp(apart.square().sum(-1) * -narrowness) * grad.unsqueeze(-1);
  const Tensor pull = near * weights * (-2.0 * narrowness);
  found.push_back(pull.sum(0).unsqueeze(-1) * centres - pull.t().mm(x));
  found.push_back(near.sum(0));

  const Layer first(x, residue[2], residue[3]);
  const Layer second(first.y, residue[4], residue[5]);
  const Tensor raw = at::linear(second.y, residue[6], residue[7]);
  const Tensor top = kSmoothShare * grad.unsqueeze(-1) * at::sigmoid(raw);
  std::vector<Tensor> layers[3];
  const Tensor below = top_backward(top, second.y, residue[6], layers[2]);
  const Tensor of_x = first.backward(second.backward(below, layers[1]), layers[0]);
  for (const auto& layer : layers) found.insert(found.end(), layer.begin(), layer.end());
  return of_x + pull.sum(1, true) * x - pull.mm(centres);
}

// Of the steps between the states.
Tensor effort_backward(const Tensor& grad, const Tensor& states) {
  const c10::SymInt steps = states.sym_size(1) - 1;
  if (steps == 0) return at::zeros_like(states);
  const Tensor step = states.narrow_symint(1, 1, steps) - states.narrow_symint(1, 0, steps);
  const Tensor pull = step * (2.0 * grad / steps).unsqueeze(-1).unsqueeze(-1);
  const Tensor none = at::zeros_like(states.narrow(1, 0, 1));
  return at::cat({none, pull}, 1) - at::cat({pull, none}, 1);
}

}  // namespace

std::vector<Tensor> score_gradients(const Tensor& grad, const ScoreInputs& in) {
  const Tensor& states = in.world_states;
  const Tensor x = states.reshape_symint({-1, states.sym_size(2)});
  const auto of_rows = [&](int64_t column) {
    return grad.select(1, column)
        .unsqueeze(1)
        .expand_symint({states.sym_size(0), states.sym_size(1)})
        .reshape({-1});
  };
  std::vector<Tensor> found = {Tensor()};
  Tensor of_x = head_backward(of_rows(1), x, in.harm, in.harm_sigmoid, found);
  of_x = of_x + residue_backward(of_rows(2), x, in.residue, in.bandwidth, found);
  if (!in.benefit.empty()) of_x = of_x + head_backward(of_rows(3), x, in.benefit, true, found);
  if (in.goal) {
    const Tensor apart = x - *in.goal;
    const Tensor near = (apart.square().sum(-1) + 1.0).reciprocal();
    const Tensor pull = (-2.0 * of_rows(4) * near.square()).unsqueeze(-1) * apart;
    of_x = of_x + pull;
    found.push_back(-pull.sum(0));
  }
  found[0] = of_x.reshape_symint(states.sym_sizes()) + effort_backward(grad.select(1, 0), states);
  return found;
}

}  // namespace prefrontal::control
