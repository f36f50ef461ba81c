// What /proc says of a process and everything that descends from it.
#pragma once

#include <sys/types.h>

#include <vector>

namespace prefrontal::sandbox {

// Every process of this machine, or of this container. Throws Failure without /proc.
std::vector<pid_t> all_processes();

// The processes that descend from `root`, without it. One that appears while it is read may be
// missed; one that is missed has a parent that is not, or hangs on `root` itself.
std::vector<pid_t> descendants_of(pid_t root);

// Threads of the process when it belongs to the user, else 0.
int threads_of(pid_t process, uid_t user);

struct Usage {
  long memory_kb =
      0;  // with page tables; a page shared by several counts once where the kernel tells
  int threads = 0;
  int alive = 0;  // processes that have not ended
};

// exact_above_kb: only when the quick sum is above it, shared pages are looked at.
Usage usage_of(const std::vector<pid_t>& processes, long exact_above_kb);

}  // namespace prefrontal::sandbox
