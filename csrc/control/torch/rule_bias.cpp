// rule_bias and rule_bias_backward, registered.
#include "csrc/control/torch/rule_bias.hpp"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/simd/dispatch.hpp"

namespace prefrontal::control::rule_bias_operator {
namespace {

using at::Tensor;
using simd::kHidden;
using simd::kRule;
using simd::kSummary;

// --- schema -----------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "rule_bias(Tensor summaries, Tensor rule, Tensor w1, Tensor b1, Tensor w2, Tensor b2, "
      "float scale, bool tanh, bool centred) -> Tensor");
  m.def(
      "rule_bias_backward(Tensor grad, Tensor summaries, Tensor rule, Tensor w1, Tensor b1, "
      "Tensor w2, Tensor b2, float scale, bool tanh, bool centred) -> "
      "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)");
}

// The arguments of both, for one line each below.
#define PREFRONTAL_BIAS_ARGUMENTS                                                  \
  const Tensor &summaries, const Tensor &rule, const Tensor &w1, const Tensor &b1, \
      const Tensor &w2, const Tensor &b2, double scale, bool tanh, bool centred
#define PREFRONTAL_BIAS_VALUES summaries, rule, w1, b1, w2, b2, scale, tanh, centred

using Bias = Tensor(PREFRONTAL_BIAS_ARGUMENTS);
using BiasBackward = BiasGradients(const Tensor& grad, PREFRONTAL_BIAS_ARGUMENTS);

const c10::TypedOperatorHandle<Bias>& bias_operator() {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("prefrontal::rule_bias", "").typed<Bias>();
  return op;
}

const c10::TypedOperatorHandle<BiasBackward>& backward_operator() {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("prefrontal::rule_bias_backward", "")
                             .typed<BiasBackward>();
  return op;
}

Tensor rule_bias(PREFRONTAL_BIAS_ARGUMENTS) { return bias_operator().call(PREFRONTAL_BIAS_VALUES); }

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

Tensor plain(PREFRONTAL_BIAS_ARGUMENTS) {
  const BiasInputs in = {PREFRONTAL_BIAS_VALUES};
  check(in);
  return plain_bias(in);
}

BiasGradients plain_backward(const Tensor& grad, PREFRONTAL_BIAS_ARGUMENTS) {
  const BiasInputs in = {PREFRONTAL_BIAS_VALUES};
  check(in);
  if (summaries.dim() == 3)
    expect("grad", grad, {summaries.sym_size(0), summaries.sym_size(1)}, summaries);
  else
    expect("grad", grad, {summaries.sym_size(0)}, summaries);
  return plain_bias_backward(grad, in);
}

Tensor on_cpu(PREFRONTAL_BIAS_ARGUMENTS) {
  const BiasInputs in = {PREFRONTAL_BIAS_VALUES};
  check(in);
  if (!on_kernel(summaries) || rule.size(1) != kRule || summaries.size(-1) != kSummary ||
      w1.size(0) != kHidden)
    return plain_bias(in);
  const int64_t n = summaries.size(-2);
  const Tensor less_mean =
      centred && n > 1 ? (summaries - summaries.mean(-2, true)).contiguous() : summaries;
  const auto from = less_mean.expect_contiguous();
  const auto rules = rule.expect_contiguous(), first = w1.expect_contiguous(),
             first_start = b1.expect_contiguous(), head = w2.expect_contiguous(),
             head_start = b2.expect_contiguous();
  const simd::BiasWeights weights = {
      first->const_data_ptr<float>(), first_start->const_data_ptr<float>(),
      head->const_data_ptr<float>(),  head_start->const_data_ptr<float>(),
      static_cast<float>(scale),      tanh};
  Tensor biases =
      at::detail::empty_cpu(summaries.sizes().slice(0, summaries.dim() - 1), summaries.options());
  float* to = biases.mutable_data_ptr<float>();
  for (int64_t i = 0; i < rule.size(0); ++i)
    simd::kernels().rule->bias_by(weights, rules->const_data_ptr<float>() + i * kRule,
                                  from->const_data_ptr<float>() + i * n * kSummary,
                                  static_cast<int>(n), to + i * n);
  return biases;
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) {
  m.impl("rule_bias", plain);
  m.impl("rule_bias_backward", plain_backward);
}
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) {
  m.impl("rule_bias", plain);
  m.impl("rule_bias_backward", plain_backward);
}
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("rule_bias", on_cpu); }

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("rule_bias", InFloat32<at::kCPU, Bias, rule_bias>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("rule_bias", InFloat32<at::kCUDA, Bias, rule_bias>::call);
}

// --- gradient: one operator, which autograd follows as its plain form when asked for more
// ----------

struct Recorded : torch::autograd::Function<Recorded> {
  static Tensor forward(torch::autograd::AutogradContext* context, PREFRONTAL_BIAS_ARGUMENTS) {
    at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({summaries, rule, w1, b1, w2, b2});
    context->saved_data["scale"] = scale;
    context->saved_data["tanh"] = tanh;
    context->saved_data["centred"] = centred;
    return bias_operator().call(PREFRONTAL_BIAS_VALUES);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto in = context->get_saved_variables();
    auto& data = context->saved_data;
    const auto [summaries, rule, w1, b1, w2, b2] = backward_operator().call(
        grads[0], in[0], in[1], in[2], in[3], in[4], in[5], data["scale"].toDouble(),
        data["tanh"].toBool(), data["centred"].toBool());
    return {summaries, rule, w1, b1, w2, b2, {}, {}, {}};
  }
};

Tensor with_graph(c10::DispatchKeySet keys, PREFRONTAL_BIAS_ARGUMENTS) {
  if (!recorded(summaries, rule, w1, b1, w2, b2))
    return bias_operator().redispatch(below_autograd(keys), PREFRONTAL_BIAS_VALUES);
  if (in_transform() || has_tangent(summaries, rule, w1, b1, w2, b2))
    return plain(PREFRONTAL_BIAS_VALUES);
  return Recorded::apply(PREFRONTAL_BIAS_VALUES);
}

BiasGradients backward_with_graph(c10::DispatchKeySet keys, const Tensor& grad,
                                  PREFRONTAL_BIAS_ARGUMENTS) {
  if (recorded(grad, summaries, rule, w1, b1, w2, b2))
    return plain_backward(grad, PREFRONTAL_BIAS_VALUES);
  return backward_operator().redispatch(below_autograd(keys), grad, PREFRONTAL_BIAS_VALUES);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) {
  m.impl("rule_bias", with_graph);
  m.impl("rule_bias_backward", backward_with_graph);
}

// --- fake: the shapes alone
// ------------------------------------------------------------------------

Tensor fake(PREFRONTAL_BIAS_ARGUMENTS) {
  check({PREFRONTAL_BIAS_VALUES});
  const auto sizes = summaries.sym_sizes();
  return summaries.new_empty_symint(sizes.slice(0, sizes.size() - 1));
}

BiasGradients fake_backward(const Tensor&, const Tensor& summaries, const Tensor& rule,
                            const Tensor& w1, const Tensor& b1, const Tensor& w2, const Tensor& b2,
                            double, bool, bool) {
  const auto like = [](const Tensor& tensor) {
    return tensor.new_empty_symint(tensor.sym_sizes());
  };
  return {like(summaries), like(rule), like(w1), like(b1), like(w2), like(b2)};
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) {
  m.impl("rule_bias", fake);
  m.impl("rule_bias_backward", fake_backward);
}

}  // namespace
}  // namespace prefrontal::control::rule_bias_operator
