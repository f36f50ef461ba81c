// The side of the fork that becomes the command.
#pragma once

#include "csrc/sandbox/request.hpp"

namespace prefrontal::sandbox {

struct Wiring {
  int failure;           // write end: a sentence when the command could not be started
  int verdict;           // write end: a Verdict, from the first process of a namespace
  int processes_before;  // threads of this user that are none of ours
  int ordinal;           // a number that no other sandbox has now
};

struct Verdict {
  int status = 0;  // as from waitpid, of the command
  int killed = 0;  // processes it left behind
};

// Throws Failure when the level cannot be had on this machine.
void require(const Request& request);

// Confines itself as asked and becomes the command; never returns.
[[noreturn]] void become_command(const Request& request, const Wiring& wiring);

}  // namespace prefrontal::sandbox
