#include "csrc/simd/operator_dispatch.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

#include "csrc/simd/dispatch.hpp"

namespace prefrontal::simd {
namespace {

const OperatorKernels& table_of(std::string_view isa) {
  if (isa == operators_scalar.name) return operators_scalar;
  if (isa == operators_base.name) return operators_base;
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa == operators_v3.name) return operators_v3;
  if (isa == operators_v4.name) return operators_v4;
#endif
  throw std::logic_error("no kernels of the operators for " + std::string(isa));
}

}  // namespace

const OperatorKernels& operator_kernels() {
  static const OperatorKernels& chosen = table_of(isa_name());
  return chosen;
}

}  // namespace prefrontal::simd
