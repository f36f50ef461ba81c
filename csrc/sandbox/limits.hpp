// Limits that the kernel keeps for each process: memory, time, sizes, counts, processors.
#pragma once

#include "csrc/sandbox/request.hpp"

namespace prefrontal::sandbox {

// Throws Failure. processes_before: how many of this user are counted already.
void set_limits(const Request& request, int processes_before);

// Keeps this process and all it starts on so many of the processors it may use now; sandboxes with
// different ordinals spread over them.
void keep_to_processors(int count, int ordinal);

// How many threads of this user run on this machine.
int threads_of_user();

}  // namespace prefrontal::sandbox
