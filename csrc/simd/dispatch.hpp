// One table of kernels per instruction set, chosen once for the processor that runs us.
//
// Every table gives the same bits: scores and replays do not depend on the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "csrc/simd/kernels.hpp"

namespace prefrontal::simd {

// The table in use: the widest that the processor supports, or the one named by the environment
// variable PREFRONTAL_ISA. Throws std::invalid_argument when that name is unknown or unsupported.
const Kernels& kernels();

// The table called `name`. Throws std::invalid_argument, naming `what`, when there is none here.
const Kernels& kernels(std::string_view name, const std::string& what);

// Name of the table in use: "scalar", "base" (SSE2 on x86-64), "v3" (AVX2) or "v4" (AVX-512).
const char* isa_name();

// Names of the tables that this processor can run, narrowest first.
std::vector<std::string> supported();

}  // namespace prefrontal::simd
