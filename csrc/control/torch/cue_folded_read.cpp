#include "csrc/control/torch/cue_folded.hpp"

#include <c10/core/GradMode.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "csrc/control/torch/checks.hpp"
#include "csrc/simd/dispatch.hpp"

namespace prefrontal::control {

using at::Tensor;

namespace {

bool overlap(const Tensor& a, const Tensor& b) {
  const auto* from = static_cast<const char*>(a.const_data_ptr());
  const auto* to = static_cast<const char*>(b.const_data_ptr());
  return from < to + b.nbytes() && to < from + a.nbytes();
}

void check_written(const char* name, const Tensor& out, const Tensor& z, const Tensor& folded) {
  TORCH_CHECK_VALUE(out.is_contiguous(), name,
                    " must be contiguous to be written into, got strides ", out.strides());
  TORCH_CHECK_VALUE(!overlap(out, z) && !overlap(out, folded), name,
                    " must not overlap what is read, got the same memory");
}

void check_graph(const char* name, const Tensor& tensor) {
  TORCH_CHECK_VALUE(!(tensor.requires_grad() && c10::GradMode::is_enabled()), name,
                    " must not require a gradient to be read folded, got one that does; "
                    "context_read and cue_context give gradients");
}

bool plain_float(const Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat && tensor.device().is_cpu() && !tensor.requires_grad();
}

// What a call in a loop looks like; the other checks take a tenth of a microsecond.
bool surely_fits(const Tensor& x, const Tensor& folded, int64_t width) {
  const auto rows = x.sizes(), table = folded.sizes();
  return rows.size() == 2 && rows[1] == width && table.size() == 1 && table[0] == kFolded &&
         plain_float(x) && plain_float(folded);
}

}  // namespace

void check_read(const char* name, const Tensor& x, const Tensor& folded, int64_t width) {
  expect(name, x, {kAny, width});
  check_graph(name, x);
  TORCH_CHECK_VALUE(x.scalar_type() == at::kFloat, name,
                    " must have dtype torch.float32 to be read folded, got torch.",
                    c10::getDtypeNames(x.scalar_type()).first);
  expect("folded", folded, {kFolded}, x);
}

void check_out(const Tensor& z, const Tensor& action, const Tensor& terrain) {
  expect("action", action, {z.sym_size(0), simd::kActions}, z);
  expect("terrain", terrain, {z.sym_size(0), simd::kTerrain}, z);
  check_graph("action", action);
  check_graph("terrain", terrain);
}

FoldedRead::FoldedRead(const char* name, const Tensor& x, const Tensor& folded, int64_t width,
                       Numbers& numbers) {
  if (!surely_fits(x, folded, width)) check_read(name, x, folded, width);
  const float* from = numbers(folded);
  if (reinterpret_cast<std::uintptr_t>(from) % alignof(simd::SlotTable) != 0) {
    aligned_ = folded.clone();
    from = aligned_.const_data_ptr<float>();
  }
  table_ = reinterpret_cast<const simd::SlotTable*>(from);
  TORCH_CHECK_VALUE(table_->mark == simd::kFilled && table_->inputs == width,
                    "folded must come from the folding of ", width, " inputs, got something else");
  TORCH_CHECK_VALUE(x.size(0) <= std::numeric_limits<int>::max(), name,
                    " must have at most 2147483647 rows, got ", x.size(0));
  rows_ = static_cast<int>(x.size(0));
  x_ = numbers(x);
}

void FoldedRead::into(float* action, float* terrain, float* context) const {
  simd::kernels().slots->read(*table_, {rows_, x_, nullptr, action, terrain, context});
}

void folded_cue_context_out(const Tensor& z, const Tensor& folded, Tensor& action,
                            Tensor& terrain) {
  Numbers numbers;
  const FoldedRead read("z", z, folded, simd::kWorld, numbers);
  const int64_t rows = z.size(0);
  if (action.sizes() != at::IntArrayRef({rows, int64_t{simd::kActions}}) || !plain_float(action) ||
      terrain.sizes() != at::IntArrayRef({rows, int64_t{simd::kTerrain}}) || !plain_float(terrain))
    check_out(z, action, terrain);
  check_written("action", action, z, folded);
  check_written("terrain", terrain, z, folded);
  TORCH_CHECK_VALUE(!overlap(action, terrain),
                    "terrain must not overlap action, got the same memory");
  read.into(action.mutable_data_ptr<float>(), terrain.mutable_data_ptr<float>(), nullptr);
  for (const Tensor* out : {&std::as_const(action), &std::as_const(terrain)})
    if (!out->is_inference()) out->unsafeGetTensorImpl()->bump_version();
}

}  // namespace prefrontal::control
