// score_trajectories, registered.
#include "csrc/control/torch/score.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/operator.hpp"
#include "csrc/control/torch/state_weights.hpp"
#include "csrc/simd/operator_dispatch.hpp"

namespace prefrontal::control::score_operator {
namespace {

using at::Tensor;
using at::TensorList;
using simd::kScores;
using simd::kState;
using Goal = std::optional<Tensor>;
using Gradients = std::vector<Tensor>;

bool fits_kernel(const ScoreInputs& in) {
  return on_kernel(in.world_states) && in.world_states.size(2) == kState && narrow(in.harm, 0) &&
         narrow(in.residue, 2) && narrow(in.residue, 4) &&
         (in.benefit.empty() || narrow(in.benefit, 0));
}

struct Score {
  static constexpr auto kName = "prefrontal::score_trajectories";
  static constexpr auto kSchema =
      "score_trajectories(Tensor world_states, Tensor[] harm, Tensor[] residue, float bandwidth, "
      "Tensor[] benefit, Tensor? goal, bool harm_sigmoid) -> Tensor";
  static constexpr bool kAutocast = true;
  using Signature = Tensor(const Tensor& world_states, TensorList harm, TensorList residue,
                           double bandwidth, TensorList benefit, const Goal& goal,
                           bool harm_sigmoid);
  using Inputs = ScoreInputs;

  static Tensor plain(const ScoreInputs& in) {
    check(in);
    return plain_scores(in);
  }

  static Tensor on_cpu(const ScoreInputs& in) {
    check(in);
    if (!fits_kernel(in)) return plain_scores(in);
    const HeadWeights to_harm(in.harm, in.harm_sigmoid), to_benefit(in.benefit, true);
    const ResidueWeights field(in.residue, in.bandwidth);
    const Tensor near = in.goal ? in.goal->contiguous() : Tensor();
    const simd::TrajectoryParts parts = {&to_harm.head, &field.residue,
                                         in.benefit.empty() ? nullptr : &to_benefit.head,
                                         in.goal ? near.const_data_ptr<float>() : nullptr};
    const auto states = in.world_states.expect_contiguous();
    Tensor scores = at::empty({in.world_states.size(0), kScores}, in.world_states.options());
    simd::operator_kernels().trajectories->score(
        parts, states->const_data_ptr<float>(), static_cast<int>(in.world_states.size(0)),
        static_cast<int>(in.world_states.size(1)), scores.mutable_data_ptr<float>());
    return scores;
  }

  template <class... Arguments>
  static Tensor record(bool in_plain, const Arguments&... arguments);

  static Tensor fake(const ScoreInputs& in) {
    check(in);
    return in.world_states.new_empty_symint({in.world_states.sym_size(0), kScores});
  }
};

// --- its gradient: one operator, which autograd follows as its plain form when asked for more ----

struct GradientInputs {
  const Tensor& grad;
  ScoreInputs in;
};

struct ScoreBackward {
  static constexpr auto kName = "prefrontal::score_trajectories_backward";
  static constexpr auto kSchema =
      "score_trajectories_backward(Tensor grad, Tensor world_states, Tensor[] harm, "
      "Tensor[] residue, float bandwidth, Tensor[] benefit, Tensor? goal, bool harm_sigmoid) "
      "-> Tensor[]";
  using Signature = Gradients(const Tensor& grad, const Tensor& world_states, TensorList harm,
                              TensorList residue, double bandwidth, TensorList benefit,
                              const Goal& goal, bool harm_sigmoid);
  using Inputs = GradientInputs;

  static Gradients plain(const GradientInputs& of) {
    check(of.in);
    const Tensor& states = of.in.world_states;
    expect("grad", of.grad, {states.sym_size(0), kScores}, states);
    return score_gradients(of.grad, of.in);
  }

  static Gradients fake(const GradientInputs& of) {
    const ScoreInputs& in = of.in;
    Gradients found = {in.world_states.new_empty_symint(in.world_states.sym_sizes())};
    for (TensorList list : {in.harm, in.residue, in.benefit})
      for (const Tensor& tensor : list)
        found.push_back(tensor.new_empty_symint(tensor.sym_sizes()));
    if (in.goal) found.push_back(in.goal->new_empty_symint(in.goal->sym_sizes()));
    return found;
  }
};

// All tensors of a call in one list: world_states, harm, residue, benefit, goal.
struct Parts {
  Gradients all;
  bool benefit;
  bool goal;

  TensorList list(std::size_t from, std::size_t count) const {
    return TensorList(all).slice(from, count);
  }
  TensorList of_benefit() const { return list(13, benefit ? 4 : 0); }
  Goal of_goal() const { return goal ? Goal(all.back()) : Goal(); }
};

struct Recorded : torch::autograd::Function<Recorded> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, TensorList all, double bandwidth, bool benefit, bool goal,
                        bool harm_sigmoid) {
    at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward(all.vec());
    context->saved_data["settings"] = std::make_tuple(bandwidth, benefit, goal, harm_sigmoid);
    const Parts parts = {all.vec(), benefit, goal};
    return Operator<Score>::call(all[0], parts.list(1, 4), parts.list(5, 8), bandwidth,
                                 parts.of_benefit(), parts.of_goal(), harm_sigmoid);
  }

  static Gradients backward(Context* context, Gradients grads) {
    const auto [bandwidth, benefit, goal, harm_sigmoid] =
        context->saved_data["settings"].to<std::tuple<double, bool, bool, bool>>();
    const Parts parts = {context->get_saved_variables(), benefit, goal};
    Gradients found =
        Operator<ScoreBackward>::call(grads[0], parts.all[0], parts.list(1, 4), parts.list(5, 8),
                                      bandwidth, parts.of_benefit(), parts.of_goal(), harm_sigmoid);
    found.resize(found.size() + 4);  // the settings have none
    return found;
  }
};

template <class... Arguments>
Tensor Score::record(bool in_plain, const Arguments&... arguments) {
  const ScoreInputs in{arguments...};
  if (in_plain) return plain(in);
  check(in);
  Gradients all = {in.world_states};
  for (TensorList list : {in.harm, in.residue, in.benefit})
    all.insert(all.end(), list.begin(), list.end());
  if (in.goal) all.push_back(*in.goal);
  return Recorded::apply(TensorList(all), in.bandwidth, !in.benefit.empty(), in.goal.has_value(),
                         in.harm_sigmoid);
}

const Operator<Score> score;
const Operator<ScoreBackward> score_backward;

}  // namespace
}  // namespace prefrontal::control::score_operator
