// Checks of arguments by name, with the sentences of python/prefrontal/control/ops/shapes.py. Sizes
// may be symbolic, so the same checks serve kernels and fake tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/SymInt.h>

#include <initializer_list>

namespace prefrontal::control {

inline constexpr int64_t kAny = -1;

using Sizes = std::initializer_list<c10::SymInt>;
using Names = std::initializer_list<const char*>;

// All throw c10::ValueError, which Python sees as ValueError.
[[noreturn]] void refuse(const char* name, const at::Tensor& tensor, Sizes sizes);
[[noreturn]] void refuse(const char* name, const at::Tensor& tensor, const at::Tensor& like);

// The tensor has these sizes (kAny: any) and holds real numbers.
void expect(const char* name, const at::Tensor& tensor, Sizes sizes);

inline bool has_sizes(const at::Tensor& tensor, Sizes sizes) {
  const auto given = tensor.sym_sizes();
  if (given.size() != sizes.size()) return false;
  const c10::SymInt* found = given.begin();
  for (const c10::SymInt& size : sizes) {
    const auto asked = size.maybe_as_int(), known = found->maybe_as_int();
    const bool both = asked && known;  // a comparison of symbols costs more
    if (asked != kAny && (both ? *asked != *known : size != *found)) return false;
    ++found;
  }
  return true;
}

// It has these sizes, and the dtype and device of `like`.
inline void expect(const char* name, const at::Tensor& tensor, Sizes sizes,
                   const at::Tensor& like) {
  if (!has_sizes(tensor, sizes)) refuse(name, tensor, sizes);
  if (tensor.scalar_type() != like.scalar_type() || tensor.device() != like.device())
    refuse(name, tensor, like);
}

// One tensor for each of the named parts.
void expect_count(const char* name, at::TensorList tensors, Names parts);

void expect_finite(const char* name, double value);
void expect_at_least(const char* name, double value, double least);  // and finite
void expect_above(const char* name, double value, double bound);     // and finite

}  // namespace prefrontal::control
