// context_read and its gradient, registered.
#include <torch/csrc/autograd/custom_function.h>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/cue_autograd.hpp"

namespace prefrontal::control::context_read_operator {
namespace {

using at::Tensor;
using Pair = std::tuple<Tensor, Tensor>;
using Gradients = std::vector<Tensor>;

// --- schema ------------------------------------------------------------------------------------

#define PREFRONTAL_READ_SCHEMA                                                           \
  "Tensor x, Tensor memory, Tensor query_weight, Tensor query_bias, Tensor key_weight, " \
  "Tensor value_weight, Tensor value_bias, Tensor output_weight, Tensor output_bias, "   \
  "Tensor? key_bias=None, Tensor? log_tau=None, bool cosine=False)"

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def("context_read(" PREFRONTAL_READ_SCHEMA " -> (Tensor context, Tensor weights)");
  m.def(
      "context_read_backward(Tensor? grad_context, Tensor? grad_weights, Tensor "
      "weights, " PREFRONTAL_READ_SCHEMA " -> Tensor[]");
}

// The arguments of both, for one line each below.
#define PREFRONTAL_READ_ARGUMENTS                                                              \
  const Tensor &x, const Tensor &memory, const Tensor &query_weight, const Tensor &query_bias, \
      const Tensor &key_weight, const Tensor &value_weight, const Tensor &value_bias,          \
      const Tensor &output_weight, const Tensor &output_bias, const OptionalTensor &key_bias,  \
      const OptionalTensor &log_tau, bool cosine
#define PREFRONTAL_READ_TENSORS                                                             \
  x, memory, query_weight, query_bias, key_weight, value_weight, value_bias, output_weight, \
      output_bias, key_bias, log_tau
#define PREFRONTAL_READ_VALUES PREFRONTAL_READ_TENSORS, cosine
// `in`: the same as one thing.
#define PREFRONTAL_READ_INPUTS                                                                     \
  const CueInputs in {                                                                             \
    "x", x, memory, query_weight, query_bias, key_weight, value_weight, value_bias, output_weight, \
        output_bias, nullptr, key_bias, log_tau, cosine                                            \
  }

using Read = Pair(PREFRONTAL_READ_ARGUMENTS);
using ReadBackward = Gradients(const OptionalTensor& grad_context,
                               const OptionalTensor& grad_weights, const Tensor& weights,
                               PREFRONTAL_READ_ARGUMENTS);

const auto& read_operator() {
  static const auto op = found<Read>("prefrontal::context_read");
  return op;
}

const auto& backward_operator() {
  static const auto op = found<ReadBackward>("prefrontal::context_read_backward");
  return op;
}

Pair context_read(PREFRONTAL_READ_ARGUMENTS) {
  return read_operator().call(PREFRONTAL_READ_VALUES);
}

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

Pair plain(PREFRONTAL_READ_ARGUMENTS) {
  PREFRONTAL_READ_INPUTS;
  check(in);
  return plain_read(in);
}

Pair on_cpu(PREFRONTAL_READ_ARGUMENTS) {
  PREFRONTAL_READ_INPUTS;
  if (!plainly_fits(in)) check(in);
  if (!on_kernel(in)) return plain_read(in);
  Pair out{rows_like(x, output_weight.size(0)), rows_like(x, simd::kTrainingSlots)};
  auto& [context, weights] = out;
  CueCall(in).forward(
      {weights.mutable_data_ptr<float>(), context.mutable_data_ptr<float>(), nullptr, nullptr});
  return out;
}

Gradients backward_on_cpu(const OptionalTensor& grad_context, const OptionalTensor& grad_weights,
                          const Tensor& weights, PREFRONTAL_READ_ARGUMENTS) {
  PREFRONTAL_READ_INPUTS;
  check_backward(in);
  expect("weights", weights, {x.size(0), simd::kTrainingSlots}, x);
  if (grad_context) expect("grad_context", *grad_context, {x.size(0), output_weight.size(0)}, x);
  if (grad_weights) expect("grad_weights", *grad_weights, {x.size(0), simd::kTrainingSlots}, x);
  Numbers numbers;
  const simd::CueOutputs out{const_cast<float*>(numbers(weights)), nullptr, nullptr, nullptr};
  return gradients(in, out, {numbers(grad_weights), numbers(grad_context), nullptr, nullptr});
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) { m.impl("context_read", plain); }
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) { m.impl("context_read", plain); }
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) {
  m.impl("context_read", on_cpu);
  m.impl("context_read_backward", backward_on_cpu);
}

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("context_read", InFloat32<at::kCPU, Read, context_read>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("context_read", InFloat32<at::kCUDA, Read, context_read>::call);
}

// --- gradient: one operator; asked for a graph, autograd of the plain form
// -------------------------

template <bool by_cosine>
struct Recorded : torch::autograd::Function<Recorded<by_cosine>> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                PREFRONTAL_READ_ARGUMENTS) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [read, weights] = read_operator().call(PREFRONTAL_READ_VALUES);
    context->set_materialize_grads(false);
    torch::autograd::variable_list saved;
    saved.reserve(12);
    for (const Tensor* each : {&x, &memory, &query_weight, &query_bias, &key_weight, &value_weight,
                               &value_bias, &output_weight, &output_bias})
      saved.push_back(*each);
    saved.push_back(or_undefined(key_bias));
    saved.push_back(or_undefined(log_tau));
    saved.push_back(weights);
    context->save_for_backward(std::move(saved));
    return {read, weights};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto in = context->get_saved_variables();
    const OptionalTensor key_bias = or_none(in[9]), log_tau = or_none(in[10]);
    auto found = backward_operator().call(or_none(grads[0]), or_none(grads[1]), in[11], in[0],
                                          in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8],
                                          key_bias, log_tau, by_cosine);
    if (!key_bias) found.insert(found.begin() + 9, Tensor());
    found.resize(12);
    return found;
  }
};

Pair with_graph(c10::DispatchKeySet keys, PREFRONTAL_READ_ARGUMENTS) {
  if (!recorded(PREFRONTAL_READ_TENSORS))
    return read_operator().redispatch(below_autograd(keys), PREFRONTAL_READ_VALUES);
  PREFRONTAL_READ_INPUTS;
  if (in_transform() || !on_kernel(in) || any_tangent(PREFRONTAL_READ_TENSORS)) {
    check(in);
    return plain_read(in);
  }
  const auto out = cosine ? Recorded<true>::apply(PREFRONTAL_READ_VALUES)
                          : Recorded<false>::apply(PREFRONTAL_READ_VALUES);
  return {out[0], out[1]};
}

Gradients plain_backward(const OptionalTensor& grad_context, const OptionalTensor& grad_weights,
                         PREFRONTAL_READ_ARGUMENTS) {
  PREFRONTAL_READ_INPUTS;
  const auto [context, weights] = plain_read(in);
  return gradients_with_graph({context, weights}, {grad_context, grad_weights},
                              {PREFRONTAL_READ_TENSORS});
}

Gradients backward_with_graph(c10::DispatchKeySet keys, const OptionalTensor& grad_context,
                              const OptionalTensor& grad_weights, const Tensor& weights,
                              PREFRONTAL_READ_ARGUMENTS) {
  if (!recorded(grad_context, grad_weights, PREFRONTAL_READ_TENSORS))
    return backward_operator().redispatch(below_autograd(keys), grad_context, grad_weights, weights,
                                          PREFRONTAL_READ_VALUES);
  const auto plainly = [&](const auto&... own) {
    return plain_backward(grad_context, grad_weights, own...);
  };
  return with_aliases(plainly, PREFRONTAL_READ_VALUES);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) {
  m.impl("context_read", with_graph);
  m.impl("context_read_backward", backward_with_graph);
}

// --- fake: the shapes alone ----------------------------------------------------------------------

Pair fake(PREFRONTAL_READ_ARGUMENTS) {
  PREFRONTAL_READ_INPUTS;
  check(in);
  return {x.new_empty_symint({x.sym_size(0), output_weight.sym_size(0)}),
          x.new_empty_symint({x.sym_size(0), memory.sym_size(0)})};
}

Gradients fake_backward(const OptionalTensor&, const OptionalTensor&, const Tensor&,
                        PREFRONTAL_READ_ARGUMENTS) {
  static_cast<void>(cosine);
  return fake_gradients({PREFRONTAL_READ_TENSORS});
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) {
  m.impl("context_read", fake);
  m.impl("context_read_backward", fake_backward);
}

}  // namespace
}  // namespace prefrontal::control::context_read_operator
