#include "csrc/control/torch/checks.hpp"

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <sstream>
#include <string>

namespace prefrontal::control {

namespace {

template <class List>
std::string listed(const List& sizes) {
  std::ostringstream text;
  const char* between = "[";
  for (const c10::SymInt& size : sizes) {
    text << between;
    if (!size.is_symbolic() && size == kAny)
      text << "any";
    else
      text << size;
    between = ", ";
  }
  text << (sizes.size() == 0 ? "[]" : "]");
  return text.str();
}

std::string dtype(const at::Tensor& tensor) {
  return "torch." + std::string(c10::getDtypeNames(tensor.scalar_type()).first);
}

}  // namespace

void refuse(const char* name, const at::Tensor& tensor, Sizes sizes) {
  TORCH_CHECK_VALUE(false, name, " must have shape ", listed(sizes), ", got ",
                    listed(tensor.sym_sizes()));
}

void refuse(const char* name, const at::Tensor& tensor, const at::Tensor& like) {
  TORCH_CHECK_VALUE(tensor.scalar_type() == like.scalar_type(), name, " must have dtype ",
                    dtype(like), ", got ", dtype(tensor));
  TORCH_CHECK_VALUE(false, name, " must be on ", like.device().str(), ", got ",
                    tensor.device().str());
}

void expect(const char* name, const at::Tensor& tensor, Sizes sizes) {
  if (!has_sizes(tensor, sizes)) refuse(name, tensor, sizes);
  TORCH_CHECK_VALUE(at::isFloatingType(tensor.scalar_type()), name,
                    " must have a floating dtype, got ", dtype(tensor));
}

void expect_count(const char* name, at::TensorList tensors, Names parts) {
  if (tensors.size() == parts.size()) return;
  std::string names;
  for (const char* part : parts) names += (names.empty() ? "" : ", ") + std::string(part);
  TORCH_CHECK_VALUE(false, name, " must be ", names, ", got ", tensors.size(), " tensors");
}

void expect_finite(const char* name, double value) {
  TORCH_CHECK_VALUE(std::isfinite(value), name, " must be finite, got ", value);
}

void expect_at_least(const char* name, double value, double least) {
  TORCH_CHECK_VALUE(std::isfinite(value) && value >= least, name, " must be finite and at least ",
                    least, ", got ", value);
}

void expect_above(const char* name, double value, double bound) {
  TORCH_CHECK_VALUE(std::isfinite(value) && value > bound, name, " must be finite and above ",
                    bound, ", got ", value);
}

}  // namespace prefrontal::control
