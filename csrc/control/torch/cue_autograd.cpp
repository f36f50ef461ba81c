#include "csrc/control/torch/cue_autograd.hpp"

#include <ATen/ops/alias.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

namespace prefrontal::control {

using at::Tensor;

namespace {

std::vector<Tensor> given(const CueInputs& in) {
  std::vector<Tensor> all;
  for (const Tensor* each : in.tensors())
    if (each) all.push_back(*each);
  for (const OptionalTensor* each : {&in.key_bias, &in.log_tau})
    if (*each) all.push_back(**each);
  return all;
}

// The same call with aliases of what wants a gradient. Autograd tells an alias apart from another
// argument which the tensor was made of, and from one that is the same tensor.
class Aliases {
 public:
  explicit Aliases(const CueInputs& in)
      : all(aliases(given(in))),
        key_bias_(in.key_bias ? OptionalTensor(last(in.log_tau ? 2 : 1)) : std::nullopt),
        log_tau_(in.log_tau ? OptionalTensor(last(1)) : std::nullopt),
        inputs(in.name, all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8],
               in.heads ? CueHeads{&all[9], &all[10], &all[11], &all[12]} : CueHeads{}, key_bias_,
               log_tau_, in.cosine) {}

  const std::vector<Tensor> all;

 private:
  static std::vector<Tensor> aliases(std::vector<Tensor> tensors) {
    for (Tensor& each : tensors)
      if (each.requires_grad()) each = at::alias(each);
    return tensors;
  }
  const Tensor& last(std::size_t from_end) const { return all[all.size() - from_end]; }

  const OptionalTensor key_bias_, log_tau_;

 public:
  const CueInputs inputs;
};

}  // namespace

std::vector<Tensor> saved(const CueInputs& in, std::initializer_list<Tensor> results) {
  std::vector<Tensor> all;
  all.reserve(17);
  for (const Tensor* each : in.tensors())
    if (each) all.push_back(*each);
  all.push_back(or_undefined(in.key_bias));
  all.push_back(or_undefined(in.log_tau));
  all.insert(all.end(), results);
  return all;
}

std::vector<Tensor> gradients_with_graph(PlainForm forward,
                                         std::initializer_list<OptionalTensor> of_outputs,
                                         const CueInputs& in) {
  const Aliases own(in);
  const auto [first, second] = forward(own.inputs);
  std::vector<Tensor> made, of_made, wanted;
  auto gradient = of_outputs.begin();
  for (const Tensor* output : {&first, &second}) {
    if (gradient->has_value() && output->requires_grad()) {
      made.push_back(*output);
      of_made.push_back(**gradient);
    }
    ++gradient;
  }
  for (const Tensor& input : own.all)
    if (input.requires_grad()) wanted.push_back(input);
  std::vector<Tensor> found(wanted.size());
  if (!made.empty() && !wanted.empty())
    found = torch::autograd::grad(made, wanted, of_made, /*retain_graph=*/true,
                                  /*create_graph=*/true, /*allow_unused=*/true);
  std::vector<Tensor> out;
  auto next = found.begin();
  for (const Tensor& input : own.all) {
    const Tensor own_gradient = input.requires_grad() ? *next++ : Tensor();
    out.push_back(own_gradient.defined() ? own_gradient : at::zeros_like(input));
  }
  return out;
}

std::vector<Tensor> fake_gradients(const CueInputs& in) {
  std::vector<Tensor> out = given(in);
  for (Tensor& each : out) each = each.new_empty_symint(each.sym_sizes());
  return out;
}

}  // namespace prefrontal::control
