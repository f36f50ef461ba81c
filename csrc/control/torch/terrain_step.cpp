// terrain_step, registered: forward, loss and gradients of the terrain weights in one call.
#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/library.h>

#include <limits>
#include <string>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/cue_autograd.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/control/torch/overlap.hpp"

namespace prefrontal::control::terrain_step_operator {
namespace {

using at::Tensor;
using at::TensorList;

// --- schema ------------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "terrain_step(Tensor z, Tensor target, Tensor[] parameters, Tensor(a!)[] gradients, "
      "Tensor? key_bias, Tensor? log_tau, Tensor(b!)? key_bias_gradient, "
      "Tensor(c!)? log_tau_gradient, bool cosine, float weight, bool accumulate) -> Tensor");
}

constexpr Names kNames = {"slots",          "query_weight", "query_bias",    "key_weight",
                          "value_weight",   "value_bias",   "output_weight", "output_bias",
                          "terrain_weight", "terrain_bias"};

#define PREFRONTAL_STEP_ARGUMENTS                                                      \
  const Tensor &z, const Tensor &target, TensorList parameters, TensorList given,      \
      const OptionalTensor &key_bias, const OptionalTensor &log_tau,                   \
      const OptionalTensor &key_bias_gradient, const OptionalTensor &log_tau_gradient, \
      bool cosine, double weight, bool accumulate
#define PREFRONTAL_STEP_VALUES                                                                  \
  z, target, parameters, given, key_bias, log_tau, key_bias_gradient, log_tau_gradient, cosine, \
      weight, accumulate

using Step = Tensor(PREFRONTAL_STEP_ARGUMENTS);

void check_gradient(const std::string& name, const Tensor& gradient, const Tensor& parameter) {
  const std::string called = "gradient of " + name;
  const auto sizes = parameter.sym_sizes();
  if (gradient.sym_sizes() != sizes)
    TORCH_CHECK_VALUE(false, called, " must have shape ", sizes, ", got ", gradient.sym_sizes());
  TORCH_CHECK_VALUE(
      gradient.scalar_type() == parameter.scalar_type() && gradient.device() == parameter.device(),
      called, " must have the dtype and device of its parameter, got ", gradient.scalar_type(),
      " on ", gradient.device());
  TORCH_CHECK_VALUE(!gradient.requires_grad(), called, " must not require a gradient of its own");
  TORCH_CHECK_VALUE(!folds_upon_itself(gradient), called,
                    " must have a place for each number, got strides ", gradient.strides());
}

void check_pair(const std::string& name, const OptionalTensor& gradient,
                const OptionalTensor& parameter) {
  TORCH_CHECK_VALUE(gradient.has_value() == parameter.has_value(), name, "_gradient must be given ",
                    "exactly where ", name, " is, got ", gradient ? "one" : "none");
  if (gradient) check_gradient(name, *gradient, *parameter);
}

// The arguments as one thing: the parameters without an action head.
struct Arguments {
  Arguments(PREFRONTAL_STEP_ARGUMENTS)
      : in("z", z, parameters[0], parameters[1], parameters[2], parameters[3], parameters[4],
           parameters[5], parameters[6], parameters[7],
           {nullptr, nullptr, &parameters[8], &parameters[9]}, key_bias, log_tau, cosine) {
    check(in);
    expect("target", target, {z.sym_size(0), parameters[8].sym_size(0)}, z);
    expect_finite("scale", weight);
    TORCH_CHECK_VALUE(!recorded(z, target),
                      "z and target must not require a gradient, which terrain_step does not give");
    expect_count("gradients", given, kNames);
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].sym_sizes() != parameters[i].sym_sizes() || given[i].requires_grad() ||
          given[i].scalar_type() != z.scalar_type() || given[i].device() != z.device() ||
          !given[i].is_contiguous())
        check_gradient(kNames.begin()[i], given[i], parameters[i]);
    check_pair("key_bias", key_bias_gradient, key_bias);
    check_pair("log_tau", log_tau_gradient, log_tau);
    static_cast<void>(accumulate);
  }

  CueInputs in;
};

// With `accumulate` everything is read before something is written.
void check_apart(PREFRONTAL_STEP_ARGUMENTS) {
  static_cast<void>(cosine), static_cast<void>(weight);
  if (accumulate) return;
  Memory memory;
  for (const Tensor& each : given) memory.writes(each);
  for (const OptionalTensor* each : {&key_bias_gradient, &log_tau_gradient})
    if (*each) memory.writes(**each);
  for (const Tensor& each : parameters) memory.reads(each);
  for (const OptionalTensor* each : {&key_bias, &log_tau})
    if (*each) memory.reads(**each);
  memory.reads(z);
  memory.reads(target);
  TORCH_CHECK_VALUE(!memory.shared(),
                    "gradients must not overlap each other or what is read, got the same memory");
}

void expect_parameters(TensorList parameters) { expect_count("parameters", parameters, kNames); }

// --- kernel: float32 on the CPU ------------------------------------------------------------------

// Where the kernel writes the gradients: into those given, unless something is in the way.
class Written {
 public:
  explicit Written(bool accumulate) : accumulate_(accumulate) {}

  float* operator()(const Tensor& gradient) {
    if (!gradient.is_inference()) gradient.unsafeGetTensorImpl()->bump_version();
    if (!accumulate_ && gradient.is_contiguous()) return gradient.mutable_data_ptr<float>();
    aside_.emplace_back(gradient, at::detail::empty_cpu(gradient.sizes(), at::kFloat, std::nullopt,
                                                        std::nullopt, std::nullopt, std::nullopt));
    return aside_.back().second.mutable_data_ptr<float>();
  }

  void finish() const {
    for (const auto& [gradient, found] : aside_)
      accumulate_ ? gradient.add_(found) : gradient.copy_(found);
  }

 private:
  bool accumulate_;
  std::vector<std::pair<Tensor, Tensor>> aside_;
};

simd::CueTensors<float> places(TensorList given, const OptionalTensor& key_bias, Written& written) {
  float* at[10];
  for (size_t i = 0; i < 10; ++i) at[i] = written(given[i]);
  return {nullptr, at[0], at[1],   at[2],   at[3], at[4], at[5],
          at[6],   at[7], nullptr, nullptr, at[8], at[9], key_bias ? written(*key_bias) : nullptr};
}

// weight * sum over the columns of the mean square; `terrain` becomes its own gradient.
float loss_of(const float* terrain, const float* target, int64_t rows, double weight,
              float* gradient) {
  const double each = weight / static_cast<double>(rows);
  double sum = rows ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  for (int64_t i = 0; i < 2 * rows; ++i) {
    const double off = static_cast<double>(terrain[i]) - static_cast<double>(target[i]);
    sum += off * off;
    gradient[i] = static_cast<float>(2.0 * each * off);
  }
  return static_cast<float>(rows ? sum * each : sum);
}

Tensor on_cpu(PREFRONTAL_STEP_ARGUMENTS) {
  expect_parameters(parameters);
  const Arguments all(PREFRONTAL_STEP_VALUES);
  TORCH_CHECK_VALUE(on_kernel(all.in),
                    "z must have dtype torch.float32 and the widths of a kernel "
                    "in inference mode, got ",
                    z.scalar_type());
  check_apart(PREFRONTAL_STEP_VALUES);
  const CueCall call(all.in);
  const int64_t rows = z.size(0);
  const auto room =
      std::make_unique<float[]>(static_cast<size_t>(rows) * (simd::kTrainingSlots + 4));
  float *weights = room.get(), *terrain = weights + rows * simd::kTrainingSlots;
  float* const gradient = terrain + 2 * rows;
  const simd::CueOutputs out{weights, nullptr, nullptr, terrain};
  call.forward(out);
  Numbers numbers;
  Tensor loss =
      at::detail::empty_cpu({}, at::kFloat, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
  *loss.mutable_data_ptr<float>() = loss_of(terrain, numbers(target), rows, weight, gradient);
  Written written(accumulate);
  const float tau = call.backward(out, {nullptr, nullptr, nullptr, gradient},
                                  places(given, key_bias_gradient, written));
  if (log_tau_gradient) *written(*log_tau_gradient) = tau;
  written.finish();
  return loss;
}

TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("terrain_step", on_cpu); }

// --- the plain form: autograd of a graph of its own
// --------------------------------------------------

Tensor plain(PREFRONTAL_STEP_ARGUMENTS) {
  check_apart(PREFRONTAL_STEP_VALUES);
  const at::AutoGradMode enabled(true);
  std::vector<Tensor> leaves, into(given.begin(), given.end());
  leaves.reserve(12);
  const auto leaf = [&](const Tensor& tensor) {
    return leaves.emplace_back(tensor.detach().requires_grad_());
  };
  for (const Tensor& each : parameters) leaf(each);
  const OptionalTensor own_bias = key_bias ? OptionalTensor(leaf(*key_bias)) : std::nullopt;
  const OptionalTensor own_tau = log_tau ? OptionalTensor(leaf(*log_tau)) : std::nullopt;
  if (key_bias) into.push_back(*key_bias_gradient);
  if (log_tau) into.push_back(*log_tau_gradient);
  const Tensor cues = z.detach();
  const Arguments all(cues, target, leaves, given, own_bias, own_tau, key_bias_gradient,
                      log_tau_gradient, cosine, weight, accumulate);
  const Tensor off = std::get<1>(plain_cue(all.in)) - target;
  const Tensor loss = off.square().mean(0).sum() * weight;
  const auto found = torch::autograd::grad({loss}, leaves);
  const at::AutoGradMode disabled(false);
  for (size_t i = 0; i < into.size(); ++i)
    accumulate ? into[i].add_(found[i]) : into[i].copy_(found[i]);
  return loss.detach();
}

Tensor with_gradients(c10::DispatchKeySet keys, PREFRONTAL_STEP_ARGUMENTS) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("prefrontal::terrain_step", "").typed<Step>();
  expect_parameters(parameters);
  {
    const Arguments all(PREFRONTAL_STEP_VALUES);
    // One that dispatches in Python, as a fake tensor does, sees the whole call.
    if (!on_kernel(all.in) && !z.key_set().has(c10::DispatchKey::Python))
      return plain(PREFRONTAL_STEP_VALUES);
  }
  return op.redispatch(below_autograd(keys), PREFRONTAL_STEP_VALUES);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) { m.impl("terrain_step", with_gradients); }

// --- fake: the shape alone -----------------------------------------------------------------------

Tensor fake(PREFRONTAL_STEP_ARGUMENTS) {
  expect_parameters(parameters);
  const Arguments all(PREFRONTAL_STEP_VALUES);
  return z.new_empty({});
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) { m.impl("terrain_step", fake); }

}  // namespace
}  // namespace prefrontal::control::terrain_step_operator
