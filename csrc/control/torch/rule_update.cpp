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

// --- schema -----------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "rule_update(Tensor rule, Tensor z_delta, Tensor z_world, Tensor delta_weight, "
      "Tensor delta_bias, Tensor world_weight, Tensor world_bias, float step, float pool) "
      "-> Tensor");
}

Tensor rule_update(const Tensor& rule, const Tensor& z_delta, const Tensor& z_world,
                   const Tensor& delta_weight, const Tensor& delta_bias, const Tensor& world_weight,
                   const Tensor& world_bias, double step, double pool) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("prefrontal::rule_update", "")
                             .typed<decltype(rule_update)>();
  return op.call(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step,
                 pool);
}

void check(const Tensor& rule, const Tensor& z_delta, const Tensor& z_world,
           const Tensor& delta_weight, const Tensor& delta_bias, const Tensor& world_weight,
           const Tensor& world_bias, double step, double pool) {
  expect_at_least("step", step, 0.0);
  expect_finite("pool", pool);
  expect("rule", rule, {kAny, kAny});
  const c10::SymInt &rules = rule.sym_size(0), &width = rule.sym_size(1);
  expect("z_delta", z_delta, {kAny, kAny}, rule);
  c10::SymInt rows = rules;
  if (rules == 1) rows = z_delta.sym_size(0) > 0 ? z_delta.sym_size(0) : 1;
  expect("z_delta", z_delta, {rows, kAny}, rule);
  expect("z_world", z_world, {rows, kAny}, rule);
  expect("delta_weight", delta_weight, {width, z_delta.sym_size(1)}, rule);
  expect("delta_bias", delta_bias, {width}, rule);
  expect("world_weight", world_weight, {width, z_world.sym_size(1)}, rule);
  expect("world_bias", world_bias, {width}, rule);
}

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

Tensor plain(const Tensor& rule, const Tensor& z_delta, const Tensor& z_world,
             const Tensor& delta_weight, const Tensor& delta_bias, const Tensor& world_weight,
             const Tensor& world_bias, double step, double pool) {
  check(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step, pool);
  if (step == 0.0) return rule.clone();
  const bool one = rule.sym_size(0) == 1;
  const Tensor delta = one ? z_delta.mean(0, true) : z_delta;
  const Tensor world = one ? z_world.mean(0, true) : z_world;
  const Tensor source = at::linear(delta, delta_weight, delta_bias) +
                        pool * at::linear(world, world_weight, world_bias);
  return (1.0 - step) * rule + step * source;
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

Tensor on_cpu(const Tensor& rule, const Tensor& z_delta, const Tensor& z_world,
              const Tensor& delta_weight, const Tensor& delta_bias, const Tensor& world_weight,
              const Tensor& world_bias, double step, double pool) {
  check(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step, pool);
  if (!on_kernel(rule) || rule.size(1) != kRule || z_delta.size(1) != kSummary ||
      z_world.size(1) != kSummary)
    return plain(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step,
                 pool);
  if (step == 0.0) return rule.clone();
  const auto from = rule.expect_contiguous(), delta = z_delta.expect_contiguous(),
             world = z_world.expect_contiguous(), weight_d = delta_weight.expect_contiguous(),
             start_d = delta_bias.expect_contiguous(), weight_w = world_weight.expect_contiguous(),
             start_w = world_bias.expect_contiguous();
  const simd::RuleWeights weights = {weight_d->const_data_ptr<float>(),
                                     start_d->const_data_ptr<float>(),
                                     weight_w->const_data_ptr<float>(),
                                     start_w->const_data_ptr<float>(), static_cast<float>(pool)};
  Tensor moved = at::detail::empty_cpu(rule.sizes(), rule.options());
  const float* now = from->const_data_ptr<float>();
  float* next = moved.mutable_data_ptr<float>();
  const int64_t rules = rule.size(0);
  float means[2][kSummary];
  const bool one = rules == 1;
  const float* d = one ? middle(*delta, means[0]) : delta->const_data_ptr<float>();
  const float* w = one ? middle(*world, means[1]) : world->const_data_ptr<float>();
  for (int64_t i = 0; i < rules; ++i)
    simd::kernels().rule->update_by(weights, d + i * kSummary, w + i * kSummary,
                                    static_cast<float>(1.0 - step), static_cast<float>(step),
                                    now + i * kRule, next + i * kRule);
  return moved;
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) { m.impl("rule_update", plain); }
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) { m.impl("rule_update", plain); }
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("rule_update", on_cpu); }

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("rule_update", InFloat32<at::kCPU, decltype(rule_update), rule_update>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("rule_update", InFloat32<at::kCUDA, decltype(rule_update), rule_update>::call);
}

// --- gradient: autograd follows the plain form, whose gradients have gradients
// ---------------------

Tensor with_graph(c10::DispatchKeySet keys, const Tensor& rule, const Tensor& z_delta,
                  const Tensor& z_world, const Tensor& delta_weight, const Tensor& delta_bias,
                  const Tensor& world_weight, const Tensor& world_bias, double step, double pool) {
  if (recorded(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias))
    return plain(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step,
                 pool);
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("prefrontal::rule_update", "")
                             .typed<decltype(rule_update)>();
  return op.redispatch(below_autograd(keys), rule, z_delta, z_world, delta_weight, delta_bias,
                       world_weight, world_bias, step, pool);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) { m.impl("rule_update", with_graph); }

// --- fake: the shape alone
// -------------------------------------------------------------------------

Tensor fake(const Tensor& rule, const Tensor& z_delta, const Tensor& z_world,
            const Tensor& delta_weight, const Tensor& delta_bias, const Tensor& world_weight,
            const Tensor& world_bias, double step, double pool) {
  check(rule, z_delta, z_world, delta_weight, delta_bias, world_weight, world_bias, step, pool);
  return rule.new_empty_symint(rule.sym_sizes());
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) { m.impl("rule_update", fake); }

}  // namespace
}  // namespace prefrontal::control::rule_update_operator
