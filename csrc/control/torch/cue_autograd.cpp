#include "csrc/control/torch/cue_autograd.hpp"

#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

namespace prefrontal::control {

using at::Tensor;

std::vector<Tensor> gradients_with_graph(std::initializer_list<Tensor> outputs,
                                         Optionals of_outputs, Optionals inputs) {
  std::vector<Tensor> made, of_made, wanted;
  auto gradient = of_outputs.begin();
  for (const Tensor& output : outputs) {
    if (gradient->has_value() && output.requires_grad()) {
      made.push_back(output);
      of_made.push_back(**gradient);
    }
    ++gradient;
  }
  for (const OptionalTensor& input : inputs)
    if (input && input->requires_grad()) wanted.push_back(*input);
  std::vector<Tensor> found(wanted.size());
  if (!made.empty() && !wanted.empty())
    found = torch::autograd::grad(made, wanted, of_made, /*retain_graph=*/true,
                                  /*create_graph=*/true, /*allow_unused=*/true);
  std::vector<Tensor> out;
  auto next = found.begin();
  for (const OptionalTensor& input : inputs) {
    if (!input) continue;
    Tensor own = input->requires_grad() ? *next++ : Tensor();
    out.push_back(own.defined() ? own : at::zeros_like(*input));
  }
  return out;
}

std::vector<Tensor> fake_gradients(Optionals inputs) {
  std::vector<Tensor> out;
  for (const OptionalTensor& input : inputs)
    if (input) out.push_back(input->new_empty_symint(input->sym_sizes()));
  return out;
}

}  // namespace prefrontal::control
