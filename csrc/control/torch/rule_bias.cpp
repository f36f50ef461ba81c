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

struct Bias {
  static constexpr auto kName = "prefrontal::rule_bias";
  static constexpr auto kSchema =
      "rule_bias(Tensor summaries, Tensor rule, Tensor w1, Tensor b1, Tensor w2, Tensor b2, "
      "float scale, bool tanh, bool centred) -> Tensor";
  static constexpr bool kAutocast = true;
  using Signature = Tensor(const Tensor& summaries, const Tensor& rule, const Tensor& w1,
                           const Tensor& b1, const Tensor& w2, const Tensor& b2, double scale,
                           bool tanh, bool centred);
  using Inputs = BiasInputs;

  static Tensor plain(const BiasInputs& in) {
    check(in);
    return plain_bias(in);
  }

  static Tensor on_cpu(const BiasInputs& in) {
    check(in);
    const Tensor &summaries = in.summaries, &rule = in.rule;
    if (!on_kernel(summaries) || rule.size(1) != kRule || summaries.size(-1) != kSummary ||
        in.w1.size(0) != kHidden)
      return plain_bias(in);
    const int64_t n = summaries.size(-2);
    const Tensor less_mean =
        in.centred && n > 1 ? (summaries - summaries.mean(-2, true)).contiguous() : summaries;
    const auto from = less_mean.expect_contiguous();
    const auto rules = rule.expect_contiguous(), first = in.w1.expect_contiguous(),
               first_start = in.b1.expect_contiguous(), head = in.w2.expect_contiguous(),
               head_start = in.b2.expect_contiguous();
    const simd::BiasWeights weights = {
        first->const_data_ptr<float>(), first_start->const_data_ptr<float>(),
        head->const_data_ptr<float>(),  head_start->const_data_ptr<float>(),
        static_cast<float>(in.scale),   in.tanh};
    Tensor biases =
        at::detail::empty_cpu(summaries.sizes().slice(0, summaries.dim() - 1), summaries.options());
    float* to = biases.mutable_data_ptr<float>();
    for (int64_t i = 0; i < rule.size(0); ++i)
      simd::kernels().rule->bias_by(weights, rules->const_data_ptr<float>() + i * kRule,
                                    from->const_data_ptr<float>() + i * n * kSummary,
                                    static_cast<int>(n), to + i * n);
    return biases;
  }

  template <class... Arguments>
  static Tensor record(bool in_plain, const Arguments&... arguments);

  static Tensor fake(const BiasInputs& in) {
    check(in);
    const auto sizes = in.summaries.sym_sizes();
    return in.summaries.new_empty_symint(sizes.slice(0, sizes.size() - 1));
  }
};

// --- its gradient: one operator, which autograd follows as its plain form when asked for more ----

struct GradientInputs {
  const Tensor& grad;
  BiasInputs in;
};

struct BiasBackward {
  static constexpr auto kName = "prefrontal::rule_bias_backward";
  static constexpr auto kSchema =
      "rule_bias_backward(Tensor grad, Tensor summaries, Tensor rule, Tensor w1, Tensor b1, "
      "Tensor w2, Tensor b2, float scale, bool tanh, bool centred) -> "
      "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)";
  using Signature = BiasGradients(const Tensor& grad, const Tensor& summaries, const Tensor& rule,
                                  const Tensor& w1, const Tensor& b1, const Tensor& w2,
                                  const Tensor& b2, double scale, bool tanh, bool centred);
  using Inputs = GradientInputs;

  static BiasGradients plain(const GradientInputs& of) {
    check(of.in);
    const auto sizes = of.in.summaries.sym_sizes();
    if (sizes.size() == 3)
      expect("grad", of.grad, {sizes[0], sizes[1]}, of.in.summaries);
    else
      expect("grad", of.grad, {sizes[0]}, of.in.summaries);
    return plain_bias_backward(of.grad, of.in);
  }

  static BiasGradients fake(const GradientInputs& of) {
    const BiasInputs& in = of.in;
    const auto like = [](const Tensor& tensor) {
      return tensor.new_empty_symint(tensor.sym_sizes());
    };
    return {like(in.summaries), like(in.rule), like(in.w1), like(in.b1), like(in.w2), like(in.b2)};
  }
};

struct Recorded : torch::autograd::Function<Recorded> {
  template <class... Arguments>
  static Tensor forward(torch::autograd::AutogradContext* context, const Arguments&... arguments) {
    at::AutoDispatchBelowADInplaceOrView below;
    const BiasInputs in{arguments...};
    context->save_for_backward({in.summaries, in.rule, in.w1, in.b1, in.w2, in.b2});
    context->saved_data["scale"] = in.scale;
    context->saved_data["tanh"] = in.tanh;
    context->saved_data["centred"] = in.centred;
    return Operator<Bias>::call(arguments...);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto in = context->get_saved_variables();
    auto& data = context->saved_data;
    const auto [summaries, rule, w1, b1, w2, b2] = Operator<BiasBackward>::call(
        grads[0], in[0], in[1], in[2], in[3], in[4], in[5], data["scale"].toDouble(),
        data["tanh"].toBool(), data["centred"].toBool());
    return {summaries, rule, w1, b1, w2, b2, {}, {}, {}};
  }
};

template <class... Arguments>
Tensor Bias::record(bool in_plain, const Arguments&... arguments) {
  return in_plain ? plain(BiasInputs{arguments...}) : Recorded::apply(arguments...);
}

const Operator<Bias> bias;
const Operator<BiasBackward> bias_backward;

}  // namespace
}  // namespace prefrontal::control::rule_bias_operator
