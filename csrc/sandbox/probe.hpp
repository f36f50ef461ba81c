// Which levels work on this machine, found out by a no-op that tries to get out.
#pragma once

#include <string>

#include "csrc/sandbox/request.hpp"

namespace prefrontal::sandbox {

// Run inside a sandbox: what is within reach, as bits: 1 files to read, 2 to make, 4 sockets.
int reached();

// Why the level does not work here; empty when it does.
std::string why_not(Level level);

// The strongest level that confines files and network here. Throws Failure without one.
Level strongest();

// {"version":1,"levels":{"namespace":"","landlock":"the reason that it does not work",...}}
std::string json_of_levels();

}  // namespace prefrontal::sandbox
