// seccomp: which system calls are answered with an error instead of being done.
#pragma once

namespace prefrontal::sandbox {

struct FilterChoice {
  bool network = false;         // whether IP sockets may be made
  bool proxy = false;           // whether TCP connections may be made, and no other sockets
  bool guard_metadata = false;  // where files outside are visible: modes, times, owners stay
  bool guard_signals = false;   // where the kernel cannot keep signals inside
  bool guard_truncate = false;  // where Landlock does not know truncation
};

// For this process and all it starts, for good; needs no_new_privs. Throws Failure.
void filter_system_calls(const FilterChoice& choice);

}  // namespace prefrontal::sandbox
