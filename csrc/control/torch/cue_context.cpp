// cue_context, and what its gradient takes, registered.
#include <torch/csrc/autograd/custom_function.h>

#include "csrc/control/torch/cue_autograd.hpp"

namespace prefrontal::control::cue_context_operator {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;
using Gradients = std::vector<Tensor>;

struct HeadInputs : CueInputs {
  HeadInputs(const Tensor& z, const Tensor& slots, const Tensor& query_weight,
             const Tensor& query_bias, const Tensor& key_weight, const Tensor& value_weight,
             const Tensor& value_bias, const Tensor& output_weight, const Tensor& output_bias,
             const Tensor& action_weight, const Tensor& action_bias, const Tensor& terrain_weight,
             const Tensor& terrain_bias, const OptionalTensor& key_bias,
             const OptionalTensor& log_tau, bool cosine)
      : CueInputs("z", z, slots, query_weight, query_bias, key_weight, value_weight, value_bias,
                  output_weight, output_bias,
                  {&action_weight, &action_bias, &terrain_weight, &terrain_bias}, key_bias, log_tau,
                  cosine) {}
};

// The arguments of HeadInputs behind others.
template <class Result, class... First>
using CueSignature = Result(First..., const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                            const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                            const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                            const Tensor&, const OptionalTensor&, const OptionalTensor&, bool);

Triple run(const CueInputs& in) {
  Triple out{rows_like(in.x, 16), rows_like(in.x, 2), rows_like(in.x, simd::kTrainingSlots)};
  auto& [action, terrain, weights] = out;
  CueCall(in).forward({weights.mutable_data_ptr<float>(), nullptr, action.mutable_data_ptr<float>(),
                       terrain.mutable_data_ptr<float>()});
  return out;
}

// --- cue_context --------------------------------------------------------------------------------

struct Cue {
  static constexpr auto kName = "prefrontal::cue_context";
  static constexpr auto kSchema = "cue_context(Tensor z, " PREFRONTAL_MEMORY_SCHEMA
      PREFRONTAL_HEADS_SCHEMA PREFRONTAL_OPTIONS_SCHEMA ") -> (Tensor action, Tensor terrain)";
  static constexpr bool kAutocast = true;
  using Signature = CueSignature<Pair>;
  using Inputs = HeadInputs;

  static Pair plain(const CueInputs& in) {
    check(in);
    return plain_cue(in);
  }

  static Pair on_cpu(const CueInputs& in) {
    if (!plainly_fits(in)) check(in);
    if (!on_kernel(in)) return plain_cue(in);
    const auto [action, terrain, weights] = run(in);
    return {action, terrain};
  }

  template <class... Arguments>
  static Pair record(bool in_plain, const Arguments&... arguments);

  static Pair fake(const CueInputs& in) {
    check(in);
    const c10::SymInt& rows = in.x.sym_size(0);
    return {in.x.new_empty_symint({rows, in.heads.action_weight->sym_size(0)}),
            in.x.new_empty_symint({rows, in.heads.terrain_weight->sym_size(0)})};
  }
};

// --- the same with the weights of the slots, which the gradient takes ---------------------------

struct CueWeights {
  static constexpr auto kName = "prefrontal::cue_context_weights";
  static constexpr auto kSchema = "cue_context_weights(Tensor z, " PREFRONTAL_MEMORY_SCHEMA
      PREFRONTAL_HEADS_SCHEMA PREFRONTAL_OPTIONS_SCHEMA
                                  ") -> (Tensor action, Tensor terrain, Tensor weights)";
  using Signature = CueSignature<Triple>;
  using Inputs = HeadInputs;

  static Triple on_cpu(const CueInputs& in) {
    check_backward(in);
    return run(in);
  }

  static Triple fake(const CueInputs& in) {
    const auto [action, terrain] = Cue::fake(in);
    return {action, terrain, in.x.new_empty_symint({in.x.sym_size(0), in.slots.sym_size(0)})};
  }
};

// --- the gradient -------------------------------------------------------------------------------

struct GradientInputs {
  template <class... Call>
  GradientInputs(const OptionalTensor& grad_action, const OptionalTensor& grad_terrain,
                 const Tensor& terrain, const Tensor& weights, const Call&... call)
      : grad_action(grad_action),
        grad_terrain(grad_terrain),
        terrain(terrain),
        weights(weights),
        in(call...) {}

  const OptionalTensor& grad_action;
  const OptionalTensor& grad_terrain;
  const Tensor& terrain;
  const Tensor& weights;
  HeadInputs in;
};

struct CueBackward {
  static constexpr auto kName = "prefrontal::cue_context_backward";
  static constexpr auto kSchema =
      "cue_context_backward(Tensor? grad_action, Tensor? grad_terrain, Tensor terrain, "
      "Tensor weights, Tensor z, " PREFRONTAL_MEMORY_SCHEMA
          PREFRONTAL_HEADS_SCHEMA PREFRONTAL_OPTIONS_SCHEMA ") -> Tensor[]";
  using Signature = CueSignature<Gradients, const OptionalTensor&, const OptionalTensor&,
                                 const Tensor&, const Tensor&>;
  using Inputs = GradientInputs;

  static Gradients on_cpu(const GradientInputs& of) {
    const CueInputs& in = of.in;
    check_backward(in);
    const int64_t rows = in.x.size(0);
    expect("terrain", of.terrain, {rows, 2}, in.x);
    expect("weights", of.weights, {rows, simd::kTrainingSlots}, in.x);
    if (of.grad_action) expect("grad_action", *of.grad_action, {rows, 16}, in.x);
    if (of.grad_terrain) expect("grad_terrain", *of.grad_terrain, {rows, 2}, in.x);
    Numbers numbers;
    const simd::CueOutputs out{const_cast<float*>(numbers(of.weights)), nullptr, nullptr,
                               const_cast<float*>(numbers(of.terrain))};
    return gradients(in, out,
                     {nullptr, nullptr, numbers(of.grad_action), numbers(of.grad_terrain)});
  }

  template <class... Arguments>
  static Gradients record(bool, const Arguments&... arguments) {
    const GradientInputs of{arguments...};
    return gradients_with_graph(plain_cue, {of.grad_action, of.grad_terrain}, of.in);
  }

  static Gradients fake(const GradientInputs& of) { return fake_gradients(of.in); }
};

template <bool by_cosine>
struct Recorded : torch::autograd::Function<Recorded<by_cosine>> {
  template <class... Arguments>
  static variable_list forward(AutogradContext* context, const Arguments&... arguments) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [action, terrain, weights] = Operator<CueWeights>::call(arguments...);
    context->set_materialize_grads(false);
    context->save_for_backward(saved(HeadInputs{arguments...}, {terrain, weights}));
    return {action, terrain};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto in = context->get_saved_variables();
    const OptionalTensor key_bias = or_none(in[13]), log_tau = or_none(in[14]);
    auto found = Operator<CueBackward>::call(
        or_none(grads[0]), or_none(grads[1]), in[15], in[16], in[0], in[1], in[2], in[3], in[4],
        in[5], in[6], in[7], in[8], in[9], in[10], in[11], in[12], key_bias, log_tau, by_cosine);
    if (!key_bias) found.insert(found.begin() + 13, Tensor());
    found.resize(16);
    return found;
  }
};

template <class... Arguments>
Pair Cue::record(bool in_plain, const Arguments&... arguments) {
  const HeadInputs in{arguments...};
  if (in_plain || !on_kernel(in)) return plain(in);
  const auto out =
      in.cosine ? Recorded<true>::apply(arguments...) : Recorded<false>::apply(arguments...);
  return {out[0], out[1]};
}

const Operator<Cue> cue;
const Operator<CueWeights> cue_weights;
const Operator<CueBackward> cue_backward;

}  // namespace
}  // namespace prefrontal::control::cue_context_operator
