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

// --- schema -----------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def(
      "score_trajectories(Tensor world_states, Tensor[] harm, Tensor[] residue, float bandwidth, "
      "Tensor[] benefit, Tensor? goal, bool harm_sigmoid) -> Tensor");
  m.def(
      "score_trajectories_backward(Tensor grad, Tensor world_states, Tensor[] harm, "
      "Tensor[] residue, float bandwidth, Tensor[] benefit, Tensor? goal, bool harm_sigmoid) "
      "-> Tensor[]");
}

using Goal = std::optional<Tensor>;
using Score = Tensor(const Tensor& world_states, TensorList harm, TensorList residue,
                     double bandwidth, TensorList benefit, const Goal& goal, bool harm_sigmoid);

using Gradients = std::vector<Tensor>;
using ScoreBackward = Gradients(const Tensor& grad, const Tensor& world_states, TensorList harm,
                                TensorList residue, double bandwidth, TensorList benefit,
                                const Goal& goal, bool harm_sigmoid);

const c10::TypedOperatorHandle<ScoreBackward>& backward_operator() {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("prefrontal::score_trajectories_backward", "")
                             .typed<ScoreBackward>();
  return op;
}

const c10::TypedOperatorHandle<Score>& score_operator() {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("prefrontal::score_trajectories", "")
                             .typed<Score>();
  return op;
}

Tensor score_trajectories(const Tensor& world_states, TensorList harm, TensorList residue,
                          double bandwidth, TensorList benefit, const Goal& goal,
                          bool harm_sigmoid) {
  return score_operator().call(world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid);
}

// --- the plain form, and the kernel for float32 on the CPU ---------------------------------------

Tensor plain(const Tensor& world_states, TensorList harm, TensorList residue, double bandwidth,
             TensorList benefit, const Goal& goal, bool harm_sigmoid) {
  const ScoreInputs in = {world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid};
  check(in);
  return plain_scores(in);
}

Gradients plain_backward(const Tensor& grad, const Tensor& world_states, TensorList harm,
                         TensorList residue, double bandwidth, TensorList benefit, const Goal& goal,
                         bool harm_sigmoid) {
  const ScoreInputs in = {world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid};
  check(in);
  expect("grad", grad, {world_states.sym_size(0), kScores}, world_states);
  return score_gradients(grad, in);
}

bool fits_kernel(const ScoreInputs& in) {
  return on_kernel(in.world_states) && in.world_states.size(2) == kState && narrow(in.harm, 0) &&
         narrow(in.residue, 2) && narrow(in.residue, 4) &&
         (in.benefit.empty() || narrow(in.benefit, 0));
}

Tensor on_cpu(const Tensor& world_states, TensorList harm, TensorList residue, double bandwidth,
              TensorList benefit, const Goal& goal, bool harm_sigmoid) {
  const ScoreInputs in = {world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid};
  check(in);
  if (!fits_kernel(in)) return plain_scores(in);
  const HeadWeights to_harm(harm, harm_sigmoid), to_benefit(benefit, true);
  const ResidueWeights field(residue, bandwidth);
  const Tensor near = goal ? goal->contiguous() : Tensor();
  const simd::TrajectoryParts parts = {&to_harm.head, &field.residue,
                                       benefit.empty() ? nullptr : &to_benefit.head,
                                       goal ? near.const_data_ptr<float>() : nullptr};
  const auto states = world_states.expect_contiguous();
  Tensor scores = at::empty({world_states.size(0), kScores}, world_states.options());
  simd::operator_kernels().trajectories->score(
      parts, states->const_data_ptr<float>(), static_cast<int>(world_states.size(0)),
      static_cast<int>(world_states.size(1)), scores.mutable_data_ptr<float>());
  return scores;
}

TORCH_LIBRARY_IMPL(prefrontal, CompositeExplicitAutograd, m) {
  m.impl("score_trajectories", plain);
  m.impl("score_trajectories_backward", plain_backward);
}
TORCH_LIBRARY_IMPL(prefrontal, FuncTorchBatchedDecomposition, m) {
  m.impl("score_trajectories", plain);
  m.impl("score_trajectories_backward", plain_backward);
}
TORCH_LIBRARY_IMPL(prefrontal, CPU, m) { m.impl("score_trajectories", on_cpu); }

TORCH_LIBRARY_IMPL(prefrontal, AutocastCPU, m) {
  m.impl("score_trajectories", InFloat32<at::kCPU, Score, score_trajectories>::call);
}
TORCH_LIBRARY_IMPL(prefrontal, AutocastCUDA, m) {
  m.impl("score_trajectories", InFloat32<at::kCUDA, Score, score_trajectories>::call);
}

// --- gradient: one operator, which autograd follows as its plain form when asked for more
// ----------

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
    return score_trajectories(all[0], parts.list(1, 4), parts.list(5, 8), bandwidth,
                              parts.of_benefit(), parts.of_goal(), harm_sigmoid);
  }

  static Gradients backward(Context* context, Gradients grads) {
    const auto [bandwidth, benefit, goal, harm_sigmoid] =
        context->saved_data["settings"].to<std::tuple<double, bool, bool, bool>>();
    const Parts parts = {context->get_saved_variables(), benefit, goal};
    Gradients found =
        backward_operator().call(grads[0], parts.all[0], parts.list(1, 4), parts.list(5, 8),
                                 bandwidth, parts.of_benefit(), parts.of_goal(), harm_sigmoid);
    found.resize(found.size() + 4);  // the settings have none
    return found;
  }
};

bool has_tangent(TensorList tensors) {
  for (const Tensor& tensor : tensors)
    if (control::has_tangent(tensor)) return true;
  return false;
}

Tensor with_graph(c10::DispatchKeySet keys, const Tensor& world_states, TensorList harm,
                  TensorList residue, double bandwidth, TensorList benefit, const Goal& goal,
                  bool harm_sigmoid) {
  if (!recorded(world_states, harm, residue, benefit, goal))
    return score_operator().redispatch(below_autograd(keys), world_states, harm, residue, bandwidth,
                                       benefit, goal, harm_sigmoid);
  check({world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid});
  Gradients all = {world_states};
  for (TensorList list : {harm, residue, benefit}) all.insert(all.end(), list.begin(), list.end());
  if (goal) all.push_back(*goal);
  if (in_transform() || has_tangent(all))
    return plain(world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid);
  return Recorded::apply(TensorList(all), bandwidth, !benefit.empty(), goal.has_value(),
                         harm_sigmoid);
}

Gradients backward_with_graph(c10::DispatchKeySet keys, const Tensor& grad,
                              const Tensor& world_states, TensorList harm, TensorList residue,
                              double bandwidth, TensorList benefit, const Goal& goal,
                              bool harm_sigmoid) {
  if (recorded(grad, world_states, harm, residue, benefit, goal))
    return plain_backward(grad, world_states, harm, residue, bandwidth, benefit, goal,
                          harm_sigmoid);
  return backward_operator().redispatch(below_autograd(keys), grad, world_states, harm, residue,
                                        bandwidth, benefit, goal, harm_sigmoid);
}

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) {
  m.impl("score_trajectories", with_graph);
  m.impl("score_trajectories_backward", backward_with_graph);
}

// --- fake: the shape alone
// -------------------------------------------------------------------------

Tensor fake(const Tensor& world_states, TensorList harm, TensorList residue, double bandwidth,
            TensorList benefit, const Goal& goal, bool harm_sigmoid) {
  check({world_states, harm, residue, bandwidth, benefit, goal, harm_sigmoid});
  return world_states.new_empty_symint({world_states.sym_size(0), kScores});
}

Gradients fake_backward(const Tensor&, const Tensor& world_states, TensorList harm,
                        TensorList residue, double, TensorList benefit, const Goal& goal, bool) {
  Gradients found = {world_states.new_empty_symint(world_states.sym_sizes())};
  for (TensorList list : {harm, residue, benefit})
    for (const Tensor& tensor : list) found.push_back(tensor.new_empty_symint(tensor.sym_sizes()));
  if (goal) found.push_back(goal->new_empty_symint(goal->sym_sizes()));
  return found;
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) {
  m.impl("score_trajectories", fake);
  m.impl("score_trajectories_backward", fake_backward);
}

}  // namespace
}  // namespace prefrontal::control::score_operator
