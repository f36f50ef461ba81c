#include "csrc/simd/dispatch.hpp"

#include <cstdlib>
#include <stdexcept>

namespace prefrontal::simd {
namespace {

// What this processor can run, narrowest first. The features are those CMakeLists.txt compiles for.
std::vector<const Kernels*> runnable() {
  std::vector<const Kernels*> tables = {&kernels_scalar, &kernels_base};
#if defined(__x86_64__) && defined(__GNUC__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v3) tables.push_back(&kernels_v3);
  if (v4) tables.push_back(&kernels_v4);
#endif
  return tables;
}

std::string rule() {
  std::string names;
  for (const Kernels* table : runnable()) {
    names += names.empty() ? "" : ", ";
    names += table->name;
  }
  return "one of the instruction sets this processor supports (" + names + ")";
}

const Kernels& choose() {
  const char* asked = std::getenv("PREFRONTAL_ISA");
  return asked && *asked ? kernels(asked, "PREFRONTAL_ISA") : *runnable().back();
}

}  // namespace

const Kernels& kernels(std::string_view name, const std::string& what) {
  for (const Kernels* table : runnable()) {
    if (name == table->name) return *table;
  }
  throw std::invalid_argument(what + " must be " + rule() + ", got '" + std::string(name) + "'");
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

const char* isa_name() { return kernels().name; }

std::vector<std::string> supported() {
  std::vector<std::string> names;
  for (const Kernels* table : runnable()) names.emplace_back(table->name);
  return names;
}

}  // namespace prefrontal::simd
