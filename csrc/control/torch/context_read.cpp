// context_read and its gradient, registered.
#include <torch/csrc/autograd/custom_function.h>

#include "csrc/control/torch/cue_autograd.hpp"

namespace prefrontal::control::context_read_operator {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Pair = std::tuple<Tensor, Tensor>;
using Gradients = std::vector<Tensor>;

struct ReadInputs : CueInputs {
  ReadInputs(const Tensor& x, const Tensor& slots, const Tensor& query_weight,
             const Tensor& query_bias, const Tensor& key_weight, const Tensor& value_weight,
             const Tensor& value_bias, const Tensor& output_weight, const Tensor& output_bias,
             const OptionalTensor& key_bias, const OptionalTensor& log_tau, bool cosine)
      : CueInputs("x", x, slots, query_weight, query_bias, key_weight, value_weight, value_bias,
                  output_weight, output_bias, {}, key_bias, log_tau, cosine) {}
};

// The arguments of ReadInputs behind others.
template <class Result, class... First>
using ReadSignature = Result(First..., const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                             const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                             const Tensor&, const OptionalTensor&, const OptionalTensor&, bool);

// --- context_read -------------------------------------------------------------------------------

struct Read {
  static constexpr auto kName = "prefrontal::context_read";
  static constexpr auto kSchema =
      "context_read(Tensor x, " PREFRONTAL_MEMORY_SCHEMA PREFRONTAL_OPTIONS_SCHEMA
      ") -> (Tensor context, Tensor weights)";
  static constexpr bool kAutocast = true;
  using Signature = ReadSignature<Pair>;
  using Inputs = ReadInputs;

  static Pair plain(const CueInputs& in) {
    check(in);
    return plain_read(in);
  }

  static Pair on_cpu(const CueInputs& in) {
    if (!plainly_fits(in)) check(in);
    if (!on_kernel(in)) return plain_read(in);
    Pair out{rows_like(in.x, in.output_weight.size(0)), rows_like(in.x, simd::kTrainingSlots)};
    auto& [context, weights] = out;
    CueCall(in).forward(
        {weights.mutable_data_ptr<float>(), context.mutable_data_ptr<float>(), nullptr, nullptr});
    return out;
  }

  template <class... Arguments>
  static Pair record(bool in_plain, const Arguments&... arguments);

  static Pair fake(const CueInputs& in) {
    check(in);
    return {in.x.new_empty_symint({in.x.sym_size(0), in.output_weight.sym_size(0)}),
            in.x.new_empty_symint({in.x.sym_size(0), in.slots.sym_size(0)})};
  }
};

// --- its gradient -------------------------------------------------------------------------------

struct GradientInputs {
  template <class... Call>
  GradientInputs(const OptionalTensor& grad_context, const OptionalTensor& grad_weights,
                 const Tensor& weights, const Call&... call)
      : grad_context(grad_context), grad_weights(grad_weights), weights(weights), in(call...) {}

  const OptionalTensor& grad_context;
  const OptionalTensor& grad_weights;
  const Tensor& weights;
  ReadInputs in;
};

struct ReadBackward {
  static constexpr auto kName = "prefrontal::context_read_backward";
  static constexpr auto kSchema =
      "context_read_backward(Tensor? grad_context, Tensor? grad_weights, Tensor weights, "
      "Tensor x, " PREFRONTAL_MEMORY_SCHEMA PREFRONTAL_OPTIONS_SCHEMA ") -> Tensor[]";
  using Signature =
      ReadSignature<Gradients, const OptionalTensor&, const OptionalTensor&, const Tensor&>;
  using Inputs = GradientInputs;

  static Gradients on_cpu(const GradientInputs& of) {
    const CueInputs& in = of.in;
    check_backward(in);
    const int64_t rows = in.x.size(0), wide = in.output_weight.size(0);
    expect("weights", of.weights, {rows, simd::kTrainingSlots}, in.x);
    if (of.grad_context) expect("grad_context", *of.grad_context, {rows, wide}, in.x);
    if (of.grad_weights)
      expect("grad_weights", *of.grad_weights, {rows, simd::kTrainingSlots}, in.x);
    Numbers numbers;
    const simd::CueOutputs out{const_cast<float*>(numbers(of.weights)), nullptr, nullptr, nullptr};
    return gradients(in, out,
                     {numbers(of.grad_weights), numbers(of.grad_context), nullptr, nullptr});
  }

  template <class... Arguments>
  static Gradients record(bool, const Arguments&... arguments) {
    const GradientInputs of{arguments...};
    return gradients_with_graph(plain_read, {of.grad_context, of.grad_weights}, of.in);
  }

  static Gradients fake(const GradientInputs& of) { return fake_gradients(of.in); }
};

template <bool by_cosine>
struct Recorded : torch::autograd::Function<Recorded<by_cosine>> {
  template <class... Arguments>
  static variable_list forward(AutogradContext* context, const Arguments&... arguments) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [read, weights] = Operator<Read>::call(arguments...);
    context->set_materialize_grads(false);
    context->save_for_backward(saved(ReadInputs{arguments...}, {weights}));
    return {read, weights};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto in = context->get_saved_variables();
    const OptionalTensor key_bias = or_none(in[9]), log_tau = or_none(in[10]);
    auto found = Operator<ReadBackward>::call(or_none(grads[0]), or_none(grads[1]), in[11], in[0],
                                              in[1], in[2], in[3], in[4], in[5], in[6], in[7],
                                              in[8], key_bias, log_tau, by_cosine);
    if (!key_bias) found.insert(found.begin() + 9, Tensor());
    found.resize(12);
    return found;
  }
};

template <class... Arguments>
Pair Read::record(bool in_plain, const Arguments&... arguments) {
  const ReadInputs in{arguments...};
  if (in_plain || !on_kernel(in)) return plain(in);
  const auto out =
      in.cosine ? Recorded<true>::apply(arguments...) : Recorded<false>::apply(arguments...);
  return {out[0], out[1]};
}

const Operator<Read> read;
const Operator<ReadBackward> read_backward;

}  // namespace
}  // namespace prefrontal::control::context_read_operator
