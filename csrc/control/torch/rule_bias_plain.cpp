#include <ATen/ATen.h>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/rule_bias.hpp"

namespace prefrontal::control {

using at::Tensor;

namespace {

struct Layers {
  Tensor of_rule;     // the columns of w1 for the rule
  Tensor of_summary;  // and for the summaries
  Tensor summaries;   // less their mean, where asked
  Tensor before;      // the first layer before ReLU
  Tensor hidden;
  Tensor raw;  // before the bound
};

bool several(const BiasInputs& in) { return in.summaries.dim() == 3; }

bool less_mean(const BiasInputs& in) { return in.centred && in.summaries.sym_size(-2) > 1; }

Layers layers(const BiasInputs& in) {
  const c10::SymInt width = in.rule.sym_size(1);
  Layers out;
  out.of_rule = in.w1.narrow_symint(1, 0, width);
  out.of_summary = in.w1.narrow_symint(1, width, in.summaries.sym_size(-1));
  out.summaries = less_mean(in) ? in.summaries - in.summaries.mean(-2, true) : in.summaries;
  Tensor shared = at::linear(in.rule, out.of_rule, in.b1);
  if (several(in)) shared = shared.unsqueeze(1);
  out.before = at::linear(out.summaries, out.of_summary) + shared;
  out.hidden = at::relu(out.before);
  out.raw = at::linear(out.hidden, in.w2, in.b2).squeeze(-1);
  return out;
}

}  // namespace

void check(const BiasInputs& in) {
  expect_above("scale", in.scale, 0.0);
  if (several(in))
    expect("summaries", in.summaries, {kAny, kAny, kAny});
  else
    expect("summaries", in.summaries, {kAny, kAny});
  const c10::SymInt rules = several(in) ? in.summaries.sym_size(0) : c10::SymInt(1);
  expect("rule", in.rule, {rules, kAny}, in.summaries);
  const c10::SymInt inputs = in.rule.sym_size(1) + in.summaries.sym_size(-1);
  expect("w1", in.w1, {kAny, inputs}, in.summaries);
  expect("b1", in.b1, {in.w1.sym_size(0)}, in.summaries);
  expect("w2", in.w2, {1, in.w1.sym_size(0)}, in.summaries);
  expect("b2", in.b2, {1}, in.summaries);
}

Tensor plain_bias(const BiasInputs& in) {
  const Tensor raw = layers(in).raw;
  return in.tanh ? in.scale * at::tanh(raw / in.scale) : raw.clamp(-in.scale, in.scale);
}

BiasGradients plain_bias_backward(const Tensor& grad, const BiasInputs& in) {
  const Layers at = layers(in);
  Tensor raw;
  if (in.tanh)
    raw = grad * (1.0 - at::tanh(at.raw / in.scale).square());
  else
    raw = grad * (at.raw.abs() <= in.scale).to(grad.scalar_type());
  raw = raw.unsqueeze(-1);
  const Tensor before = raw * in.w2 * (at.before > 0).to(grad.scalar_type());
  const Tensor rows = before.reshape_symint({-1, in.w1.sym_size(0)});
  const Tensor shared = several(in) ? before.sum(1) : before.sum(0, true);
  const Tensor w1 =
      at::cat({shared.t().mm(in.rule),
               rows.t().mm(at.summaries.reshape_symint({-1, in.summaries.sym_size(-1)}))},
              1);
  Tensor summaries = at::matmul(before, at.of_summary);
  if (less_mean(in)) summaries = summaries - summaries.mean(-2, true);
  return {summaries,
          shared.mm(at.of_rule),
          w1,
          shared.sum(0),
          (raw * at.hidden).reshape_symint({-1, in.w1.sym_size(0)}).sum(0, true),
          raw.sum().reshape({1})};
}

}  // namespace prefrontal::control
