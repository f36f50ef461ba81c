// rule_update: rule <- (1 - step) rule + step (delta_proj z_delta + pool world_proj z_world).
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/simd/dispatch.hpp"

namespace prefrontal::control::rule_update_operator {
namespace {

using at::Tensor;
using simd::kRule;
using simd::kSummary;

struct UpdateInputs {
  const Tensor& rule;
  const Tensor& z_delta;
  const Tensor& z_world;
  const Tensor& delta_weight;
  const Tensor& delta_bias;
  const Tensor& world_weight;
  const Tensor& world_bias;
  double step;
  double pool;
};

void check(const UpdateInputs& in) {
  const Tensor& rule = in.rule;
  expect_at_least("step", in.step, 0.0);
  expect_finite("pool", in.pool);
  expect("rule", rule, {kAny, kAny});
  const c10::SymInt &rules = rule.sym_size(0), &width = rule.sym_size(1);
  expect("z_delta", in.z_delta, {kAny, kAny}, rule);
  c10::SymInt rows = rules;
  if (rules == 1) rows = in.z_delta.sym_size(0) > 0 ? in.z_delta.sym_size(0) : 1;
  expect("z_delta", in.z_delta, {rows, kAny}, rule);
  expect("z_world", in.z_world, {rows, kAny}, rule);
  expect("delta_weight", in.delta_weight, {width, in.z_delta.sym_size(1)}, rule);
  expect("delta_bias", in.delta_bias, {width}, rule);
  expect("world_weight", in.world_weight, {width, in.z_world.sym_size(1)}, rule);
  expect("world_bias", in.world_bias, {width}, rule);
}

// The row to follow: the only one, or the mean of all, summed in double.
const float* middle(const Tensor& rows, float (&mean)[kSummary]) {
  const float* from = rows.const_data_ptr<float>();
  const int64_t count = rows.size(0);
  if (count == 1) return from;
  double sum[kSummary] = {};
  for (int64_t row = 0; row < count; ++row)
    for (int j = 0; j < kSummary; ++j) sum[j] += static_cast<double>(from[row * kSummary + j]);
  for (int j = 0; j < kSummary; ++j) mean[j] = static_cast<float>(sum[j] / count);
  return mean;
}

struct Update {
  static constexpr auto kName = "prefrontal::rule_update";
  static constexpr auto kSchema =
      "rule_update(Tensor rule, Tensor z_delta, Tensor z_world, Tensor delta_weight, "
      "Tensor delta_bias, Tensor world_weight, Tensor world_bias, float step, float pool) "
      "-> Tensor";
  static constexpr bool kAutocast = true;
  using Signature = Tensor(const Tensor& rule, const Tensor& z_delta, const Tensor& z_world,
                           const Tensor& delta_weight, const Tensor& delta_bias,
                           const Tensor& world_weight, const Tensor& world_bias, double step,
                           double pool);
  using Inputs = UpdateInputs;

  static Tensor plain(const UpdateInputs& in) {
    check(in);
    if (in.step == 0.0) return in.rule.clone();
    const bool one = in.rule.sym_size(0) == 1;
    const Tensor delta = one ? in.z_delta.mean(0, true) : in.z_delta;
    const Tensor world = one ? in.z_world.mean(0, true) : in.z_world;
    const Tensor source = at::linear(delta, in.delta_weight, in.delta_bias) +
                          in.pool * at::linear(world, in.world_weight, in.world_bias);
    return (1.0 - in.step) * in.rule + in.step * source;
  }

  static Tensor on_cpu(const UpdateInputs& in) {
    check(in);
    if (!on_kernel(in.rule) || in.rule.size(1) != kRule || in.z_delta.size(1) != kSummary ||
        in.z_world.size(1) != kSummary)
      return plain(in);
    if (in.step == 0.0) return in.rule.clone();
    const auto from = in.rule.expect_contiguous(), delta = in.z_delta.expect_contiguous(),
               world = in.z_world.expect_contiguous(),
               weight_d = in.delta_weight.expect_contiguous(),
               start_d = in.delta_bias.expect_contiguous(),
               weight_w = in.world_weight.expect_contiguous(),
               start_w = in.world_bias.expect_contiguous();
    const simd::RuleWeights weights = {
        weight_d->const_data_ptr<float>(), start_d->const_data_ptr<float>(),
        weight_w->const_data_ptr<float>(), start_w->const_data_ptr<float>(),
        static_cast<float>(in.pool)};
    Tensor moved = at::detail::empty_cpu(in.rule.sizes(), in.rule.options());
    const float* now = from->const_data_ptr<float>();
    float* next = moved.mutable_data_ptr<float>();
    const int64_t rules = in.rule.size(0);
    float means[2][kSummary];
    const bool one = rules == 1;
    const float* d = one ? middle(*delta, means[0]) : delta->const_data_ptr<float>();
    const float* w = one ? middle(*world, means[1]) : world->const_data_ptr<float>();
    for (int64_t i = 0; i < rules; ++i)
      simd::kernels().rule->update_by(
          weights, d + i * kSummary, w + i * kSummary, static_cast<float>(1.0 - in.step),
          static_cast<float>(in.step), now + i * kRule, next + i * kRule);
    return moved;
  }

  static Tensor fake(const UpdateInputs& in) {
    check(in);
    return in.rule.new_empty_symint(in.rule.sym_sizes());
  }
};

const Operator<Update> update;

}  // namespace
}  // namespace prefrontal::control::rule_update_operator
