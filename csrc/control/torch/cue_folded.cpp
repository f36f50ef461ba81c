// folded_context_read, folded_cue_context and folded_cue_context_out, registered: no gradients,
// float32 on the CPU.
#include <torch/library.h>

#include "csrc/control/torch/cue_folded.hpp"

namespace prefrontal::control::cue_folded_operator {
namespace {

using at::Tensor;
using Pair = std::tuple<Tensor, Tensor>;

// --- schema ------------------------------------------------------------------------------------

TORCH_LIBRARY_FRAGMENT(prefrontal, m) {
  m.def("folded_context_read(Tensor x, Tensor folded) -> Tensor");
  m.def("folded_cue_context(Tensor z, Tensor folded) -> (Tensor action, Tensor terrain)");
  m.def(
      "folded_cue_context_out(Tensor z, Tensor folded, Tensor(a!) action, Tensor(b!) terrain) "
      "-> ()");
}

// --- kernel
// ----------------------------------------------------------------------------------------

Tensor folded_context_read(const Tensor& x, const Tensor& folded) {
  Numbers numbers;
  const FoldedRead read("x", x, folded, simd::kContext, numbers);
  Tensor context = rows_like(x, simd::kContext);
  read.into(nullptr, nullptr, context.mutable_data_ptr<float>());
  return context;
}

Pair folded_cue_context(const Tensor& z, const Tensor& folded) {
  Numbers numbers;
  const FoldedRead read("z", z, folded, simd::kWorld, numbers);
  Pair out{rows_like(z, simd::kActions), rows_like(z, simd::kTerrain)};
  auto& [action, terrain] = out;
  read.into(action.mutable_data_ptr<float>(), terrain.mutable_data_ptr<float>(), nullptr);
  return out;
}

TORCH_LIBRARY_IMPL(prefrontal, CPU, m) {
  m.impl("folded_context_read", folded_context_read);
  m.impl("folded_cue_context", folded_cue_context);
  m.impl("folded_cue_context_out", folded_cue_context_out);
}

// --- gradient: there is none; the kernels refuse to be asked for one
// -------------------------------

TORCH_LIBRARY_IMPL(prefrontal, Autograd, m) {
  m.impl("folded_context_read", torch::CppFunction::makeFallthrough());
  m.impl("folded_cue_context", torch::CppFunction::makeFallthrough());
  m.impl("folded_cue_context_out", torch::CppFunction::makeFallthrough());
}

// --- fake: the shapes alone ----------------------------------------------------------------------

Tensor fake_read(const Tensor& x, const Tensor& folded) {
  check_read("x", x, folded, simd::kContext);
  return x.new_empty_symint({x.sym_size(0), simd::kContext});
}

Pair fake_cue(const Tensor& z, const Tensor& folded) {
  check_read("z", z, folded, simd::kWorld);
  return {z.new_empty_symint({z.sym_size(0), simd::kActions}),
          z.new_empty_symint({z.sym_size(0), simd::kTerrain})};
}

void fake_out(const Tensor& z, const Tensor& folded, Tensor& action, Tensor& terrain) {
  check_read("z", z, folded, simd::kWorld);
  check_out(z, action, terrain);
}

TORCH_LIBRARY_IMPL(prefrontal, Meta, m) {
  m.impl("folded_context_read", fake_read);
  m.impl("folded_cue_context", fake_cue);
  m.impl("folded_cue_context_out", fake_out);
}

}  // namespace
}  // namespace prefrontal::control::cue_folded_operator
