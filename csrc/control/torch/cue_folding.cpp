// fold_context and fold_cue, registered: a snapshot of the parameters, float32 on the CPU.
#include <ATen/EmptyTensor.h>
#include <torch/library.h>

#include <cstring>
#include <memory>

#include "csrc/control/cue_fold.hpp"
#include "csrc/control/torch/checks.hpp"
#include "csrc/control/torch/cue_folded.hpp"

namespace prefrontal::control::cue_folding_operator {
namespace {

using at::Tensor;

// --- schema ------------------------------------------------------------------------------------

#define PREFRONTAL_FOLD_SCHEMA                                                 \
  "Tensor memory, Tensor query_weight, Tensor query_bias, Tensor key_weight, " \
  "Tensor value_weight, Tensor value_bias, Tensor output_weight, Tensor output_bias, "

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def("fold_context(" PREFRONTAL_FOLD_SCHEMA
        "Tensor? key_bias=None, Tensor? log_tau=None, bool cosine=False) -> Tensor");
  m.def("fold_cue(" PREFRONTAL_FOLD_SCHEMA
        "Tensor action_weight, Tensor action_bias, Tensor terrain_weight, Tensor terrain_bias, "
        "Tensor? key_bias=None, Tensor? log_tau=None, bool cosine=False) -> Tensor");
}

// --- kernel: float32 on the CPU; a snapshot has no gradient
// ------------------------------------------

std::vector<float> copied(const Tensor& tensor) {
  const Tensor numbers = tensor.contiguous();
  const float* from = numbers.const_data_ptr<float>();
  return {from, from + numbers.numel()};
}

Parameters parameters(const CueInputs& in) {
  Parameters out(in.heads ? kTerrainBias + 1 : kLogTau + 1);
  const auto put = [&](CuePart part, const Tensor& tensor) { out[part] = copied(tensor); };
  put(kMemory, in.memory);
  put(kQueryWeight, in.query_weight);
  put(kQueryBias, in.query_bias);
  put(kKeyWeight, in.key_weight);
  put(kValueWeight, in.value_weight);
  put(kValueBias, in.value_bias);
  put(kOutputWeight, in.output_weight);
  put(kOutputBias, in.output_bias);
  if (in.key_bias) put(kKeyBias, *in.key_bias);
  if (in.log_tau) put(kLogTau, *in.log_tau);
  if (!in.heads) return out;
  put(kActionWeight, *in.heads->action_weight);
  put(kActionBias, *in.heads->action_bias);
  put(kTerrainWeight, *in.heads->terrain_weight);
  put(kTerrainBias, *in.heads->terrain_bias);
  return out;
}

// The widths that a SlotTable has.
void check_widths(const CueInputs& in) {
  const Tensor& memory = in.memory;
  TORCH_CHECK_VALUE(memory.scalar_type() == at::kFloat && memory.device().is_cpu(),
                    "memory must be torch.float32 on the CPU to be folded, got torch.",
                    c10::getDtypeNames(memory.scalar_type()).first, " on ", memory.device().str());
  expect("memory", memory, {simd::kSlots, kAny});
  expect("query_weight", in.query_weight,
         {memory.sym_size(1), in.heads ? simd::kWorld : simd::kContext}, memory);
  expect("output_weight", in.output_weight, {simd::kContext, memory.sym_size(1)}, memory);
  if (!in.heads) return;
  expect("action_bias", *in.heads->action_bias, {simd::kActions}, memory);
  expect("terrain_bias", *in.heads->terrain_bias, {simd::kTerrain}, memory);
}

Tensor fold(const CueInputs& in) {
  check_widths(in);
  check(in);
  CueLayout layout;
  layout.cue = in.heads != nullptr;
  layout.world = in.heads && in.heads->action_weight->size(1) != simd::kContext;
  layout.cosine = in.cosine;
  layout.memory_dim = static_cast<int>(in.memory.size(1));
  const Parameters all = parameters(in);
  const auto table = std::make_unique<simd::SlotTable>();
  CueFold(layout, all).all(all, *table);
  Tensor out = at::detail::empty_cpu({kFolded}, at::kFloat, std::nullopt, std::nullopt,
                                     std::nullopt, std::nullopt);
  std::memcpy(out.mutable_data_ptr<float>(), table.get(), sizeof(simd::SlotTable));
  return out;
}

Tensor query_like(const Tensor& query_weight) {
  return query_weight.new_empty_symint({0, query_weight.sym_size(-1)});
}

Tensor fold_context(const Tensor& memory, const Tensor& query_weight, const Tensor& query_bias,
                    const Tensor& key_weight, const Tensor& value_weight, const Tensor& value_bias,
                    const Tensor& output_weight, const Tensor& output_bias,
                    const OptionalTensor& key_bias, const OptionalTensor& log_tau, bool cosine) {
  return fold({"x", query_like(query_weight), memory, query_weight, query_bias, key_weight,
               value_weight, value_bias, output_weight, output_bias, nullptr, key_bias, log_tau,
               cosine});
}

Tensor fold_cue(const Tensor& memory, const Tensor& query_weight, const Tensor& query_bias,
                const Tensor& key_weight, const Tensor& value_weight, const Tensor& value_bias,
                const Tensor& output_weight, const Tensor& output_bias, const Tensor& action_weight,
                const Tensor& action_bias, const Tensor& terrain_weight, const Tensor& terrain_bias,
                const OptionalTensor& key_bias, const OptionalTensor& log_tau, bool cosine) {
  const CueHeads heads{&action_weight, &action_bias, &terrain_weight, &terrain_bias};
  return fold({"z", query_like(query_weight), memory, query_weight, query_bias, key_weight,
               value_weight, value_bias, output_weight, output_bias, &heads, key_bias, log_tau,
               cosine});
}

TORCH_LIBRARY_IMPL(prefrontal, CPU, m) {
  m.impl("fold_context", fold_context);
  m.impl("fold_cue", fold_cue);
}
TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) {
  m.impl("fold_context", torch::CppFunction::makeFallthrough());
  m.impl("fold_cue", torch::CppFunction::makeFallthrough());
}

// --- fake: the shape alone -----------------------------------------------------------------------

Tensor fake_fold_context(const Tensor& memory, const Tensor&, const Tensor&, const Tensor&,
                         const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                         const OptionalTensor&, const OptionalTensor&, bool) {
  return memory.new_empty({kFolded});
}

Tensor fake_fold_cue(const Tensor& memory, const Tensor&, const Tensor&, const Tensor&,
                     const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                     const Tensor&, const Tensor&, const Tensor&, const OptionalTensor&,
                     const OptionalTensor&, bool) {
  return memory.new_empty({kFolded});
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) {
  m.impl("fold_context", fake_fold_context);
  m.impl("fold_cue", fake_fold_cue);
}

}  // namespace
}  // namespace prefrontal::control::cue_folding_operator
