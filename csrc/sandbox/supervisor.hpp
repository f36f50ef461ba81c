// The other side of the fork: watches what the kernel does not limit, and leaves nobody behind.
#pragma once

#include <string>

#include "csrc/sandbox/request.hpp"

namespace prefrontal::sandbox {

struct Report {
  int status = 0;       // of the command, as from waitpid
  std::string stopped;  // "time", "memory", "processes", "disk", "caller", or empty
  int signal = 0;       // that the caller sent, where it stopped the command
  int killed = 0;       // processes that were ended with it or that it left behind
  long memory_kb = 0;   // most at one time, all processes together
  int threads = 0;      // most at one time
  long scratch_kb = 0;
  long wall_us = 0;
  long cpu_us = 0;
};

// Runs the request to its end, within its limits. Ends early on SIGTERM, SIGINT and SIGHUP and
// when the process that started this one is gone. Throws Failure when it could not be started.
Report supervise(const Request& request);

}  // namespace prefrontal::sandbox
