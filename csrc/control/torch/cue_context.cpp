// cue_context, and what its gradient takes, registered.
#include <torch/csrc/autograd/custom_function.h>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/cue_autograd.hpp"

namespace prefrontal::control::cue_context_operator {
namespace {

using at::Tensor;
using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;
using Gradients = std::vector<Tensor>;

// --- schema ------------------------------------------------------------------------------------

#define PREFRONTAL_CUE_SCHEMA                                                              \
  "Tensor z, Tensor memory, Tensor query_weight, Tensor query_bias, Tensor key_weight, "   \
  "Tensor value_weight, Tensor value_bias, Tensor output_weight, Tensor output_bias, "     \
  "Tensor action_weight, Tensor action_bias, Tensor terrain_weight, Tensor terrain_bias, " \
  "Tensor? key_bias=None, Tensor? log_tau=None, bool cosine=False)"

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def("cue_context(" PREFRONTAL_CUE_SCHEMA " -> (Tensor action, Tensor terrain)");
  m.def("cue_context_weights(" PREFRONTAL_CUE_SCHEMA
        " -> (Tensor action, Tensor terrain, Tensor weights)");
  m.def(
      "cue_context_backward(Tensor? grad_action, Tensor? grad_terrain, Tensor terrain, "
      "Tensor weights, " PREFRONTAL_CUE_SCHEMA " -> Tensor[]");
}

// The arguments of all three, for one line each below.
#define PREFRONTAL_CUE_ARGUMENTS                                                               \
  const Tensor &z, const Tensor &memory, const Tensor &query_weight, const Tensor &query_bias, \
      const Tensor &key_weight, const Tensor &value_weight, const Tensor &value_bias,          \
      const Tensor &output_weight, const Tensor &output_bias, const Tensor &action_weight,     \
      const Tensor &action_bias, const Tensor &terrain_weight, const Tensor &terrain_bias,     \
      const OptionalTensor &key_bias, const OptionalTensor &log_tau, bool cosine
#define PREFRONTAL_CUE_TENSORS                                                              \
  z, memory, query_weight, query_bias, key_weight, value_weight, value_bias, output_weight, \
      output_bias, action_weight, action_bias, terrain_weight, terrain_bias, key_bias, log_tau
#define PREFRONTAL_CUE_VALUES PREFRONTAL_CUE_TENSORS, cosine
// `in`: the same as one thing.
#define PREFRONTAL_CUE_INPUTS                                                                      \
  const CueHeads heads{&action_weight, &action_bias, &terrain_weight, &terrain_bias};              \
  const CueInputs in {                                                                             \
    "z", z, memory, query_weight, query_bias, key_weight, value_weight, value_bias, output_weight, \
        output_bias, &heads, key_bias, log_tau, cosine                                             \
  }

using Cue = Pair(PREFRONTAL_CUE_ARGUMENTS);
using CueWeights = Triple(PREFRONTAL_CUE_ARGUMENTS);
using CueBackward = Gradients(const OptionalTensor& grad_action, const OptionalTensor& grad_terrain,
                              const Tensor& terrain, const Tensor& weights,
                              PREFRONTAL_CUE_ARGUMENTS);

const auto& cue_operator() {
  static const auto op = found<Cue>("prefrontal::cue_context");
  return op;
}

const auto& weights_operator() {
  static const auto op = found<CueWeights>("prefrontal::cue_context_weights");
  return op;
}

const auto& backward_operator() {
  static const auto op = found<CueBackward>("prefrontal::cue_context_backward");
  return op;
}

Pair cue_context(PREFRONTAL_CUE_ARGUMENTS) { return cue_operator().call(PREFRONTAL_CUE_VALUES); }

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

Pair plain(PREFRONTAL_CUE_ARGUMENTS) {
  PREFRONTAL_CUE_INPUTS;
  check(in);
  return plain_cue(in);
}

Triple run(const CueInputs& in) {
  Triple out{rows_like(in.x, 16), rows_like(in.x, 2), rows_like(in.x, simd::kTrainingSlots)};
  auto& [action, terrain, weights] = out;
  CueCall(in).forward({weights.mutable_data_ptr<float>(), nullptr, action.mutable_data_ptr<float>(),
                       terrain.mutable_data_ptr<float>()});
  return out;
}

Pair on_cpu(PREFRONTAL_CUE_ARGUMENTS) {
  PREFRONTAL_CUE_INPUTS;
  if (!plainly_fits(in)) check(in);
  if (!on_kernel(in)) return plain_cue(in);
  const auto [action, terrain, weights] = run(in);
  return {action, terrain};
}

Triple weights_on_cpu(PREFRONTAL_CUE_ARGUMENTS) {
  PREFRONTAL_CUE_INPUTS;
  check_backward(in);
  return run(in);
}

Gradients backward_on_cpu(const OptionalTensor& grad_action, const OptionalTensor& grad_terrain,
                          const Tensor& terrain, const Tensor& weights, PREFRONTAL_CUE_ARGUMENTS) {
  PREFRONTAL_CUE_INPUTS;
  check_backward(in);
  const int64_t rows = z.size(0);
  expect("terrain", terrain, {rows, 2}, z);
  expect("weights", weights, {rows, simd::kTrainingSlots}, z);
  if (grad_action) expect("grad_action", *grad_action, {rows, 16}, z);
  if (grad_terrain) expect("grad_terrain", *grad_terrain, {rows, 2}, z);
  Numbers numbers;
  const simd::CueOutputs out{const_cast<float*>(numbers(weights)), nullptr, nullptr,
                             const_cast<float*>(numbers(terrain))};
  return gradients(in, out, {nullptr, nullptr, numbers(grad_action), numbers(grad_terrain)});
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) { m.impl("cue_context", plain); }
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) { m.impl("cue_context", plain); }
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) {
  m.impl("cue_context", on_cpu);
  m.impl("cue_context_weights", weights_on_cpu);
  m.impl("cue_context_backward", backward_on_cpu);
}

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("cue_context", InFloat32<at::kCPU, Cue, cue_context>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("cue_context", InFloat32<at::kCUDA, Cue, cue_context>::call);
}

// --- gradient: one operator; asked for a graph, autograd of the plain form
// -------------------------

template <bool by_cosine>
struct Recorded : torch::autograd::Function<Recorded<by_cosine>> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                PREFRONTAL_CUE_ARGUMENTS) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [action, terrain, weights] = weights_operator().call(PREFRONTAL_CUE_VALUES);
    context->set_materialize_grads(false);
    torch::autograd::variable_list saved;
    saved.reserve(17);
    for (const Tensor* each : {&z, &memory, &query_weight, &query_bias, &key_weight, &value_weight,
                               &value_bias, &output_weight, &output_bias, &action_weight,
                               &action_bias, &terrain_weight, &terrain_bias})
      saved.push_back(*each);
    saved.push_back(or_undefined(key_bias));
    saved.push_back(or_undefined(log_tau));
    saved.push_back(terrain);
    saved.push_back(weights);
    context->save_for_backward(std::move(saved));
    return {action, terrain};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto in = context->get_saved_variables();
    const OptionalTensor key_bias = or_none(in[13]), log_tau = or_none(in[14]);
    auto found = backward_operator().call(
        or_none(grads[0]), or_none(grads[1]), in[15], in[16], in[0], in[1], in[2], in[3], in[4],
        in[5], in[6], in[7], in[8], in[9], in[10], in[11], in[12], key_bias, log_tau, by_cosine);
    if (!key_bias) found.insert(found.begin() + 13, Tensor());
    found.resize(16);
    return found;
  }
};

Pair with_graph(c10::DispatchKeySet keys, PREFRONTAL_CUE_ARGUMENTS) {
  if (!recorded(PREFRONTAL_CUE_TENSORS))
    return cue_operator().redispatch(below_autograd(keys), PREFRONTAL_CUE_VALUES);
  PREFRONTAL_CUE_INPUTS;
  if (in_transform() || !on_kernel(in) || any_tangent(PREFRONTAL_CUE_TENSORS)) {
    check(in);
    return plain_cue(in);
  }
  const auto out = cosine ? Recorded<true>::apply(PREFRONTAL_CUE_VALUES)
                          : Recorded<false>::apply(PREFRONTAL_CUE_VALUES);
  return {out[0], out[1]};
}

Gradients plain_backward(const OptionalTensor& grad_action, const OptionalTensor& grad_terrain,
                         PREFRONTAL_CUE_ARGUMENTS) {
  PREFRONTAL_CUE_INPUTS;
  const auto [action, terrain] = plain_cue(in);
  return gradients_with_graph({action, terrain}, {grad_action, grad_terrain},
                              {PREFRONTAL_CUE_TENSORS});
}

Gradients backward_with_graph(c10::DispatchKeySet keys, const OptionalTensor& grad_action,
                              const OptionalTensor& grad_terrain, const Tensor& terrain,
                              const Tensor& weights, PREFRONTAL_CUE_ARGUMENTS) {
  if (!recorded(grad_action, grad_terrain, PREFRONTAL_CUE_TENSORS))
    return backward_operator().redispatch(below_autograd(keys), grad_action, grad_terrain, terrain,
                                          weights, PREFRONTAL_CUE_VALUES);
  const auto plainly = [&](const auto&... own) {
    return plain_backward(grad_action, grad_terrain, own...);
  };
  return with_aliases(plainly, PREFRONTAL_CUE_VALUES);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) {
  m.impl("cue_context", with_graph);
  m.impl("cue_context_backward", backward_with_graph);
}

// --- fake: the shapes alone ----------------------------------------------------------------------

Pair fake(PREFRONTAL_CUE_ARGUMENTS) {
  PREFRONTAL_CUE_INPUTS;
  check(in);
  return {z.new_empty_symint({z.sym_size(0), action_weight.sym_size(0)}),
          z.new_empty_symint({z.sym_size(0), terrain_weight.sym_size(0)})};
}

Triple fake_weights(PREFRONTAL_CUE_ARGUMENTS) {
  const auto [action, terrain] = fake(PREFRONTAL_CUE_VALUES);
  return {action, terrain, z.new_empty_symint({z.sym_size(0), memory.sym_size(0)})};
}

Gradients fake_backward(const OptionalTensor&, const OptionalTensor&, const Tensor&, const Tensor&,
                        PREFRONTAL_CUE_ARGUMENTS) {
  static_cast<void>(cosine);
  return fake_gradients({PREFRONTAL_CUE_TENSORS});
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) {
  m.impl("cue_context", fake);
  m.impl("cue_context_weights", fake_weights);
  m.impl("cue_context_backward", fake_backward);
}

}  // namespace
}  // namespace prefrontal::control::cue_context_operator
