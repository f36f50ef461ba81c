// What processes hold through descriptors and mappings, which no other measure of theirs counts.
#pragma once

#include <sys/types.h>

#include <vector>

namespace prefrontal::sandbox {

struct Holdings {
  long deleted_kb = 0;  // disk of files without a name, open or mapped
  long buffers_kb = 0;  // memory of the kernel: full pipes and sockets, and areas
  long pipes = 0;
  long areas = 0;  // of memory: the lines of "maps"
};

// Four processes may have as many as a kernel allows each; counting more would hold up the watch.
inline constexpr long kMostAreas = 262'144;

// Stops counting areas past kMostAreas. Each file, pipe and socket counts once, however many hold
// it.
Holdings holdings_of(const std::vector<pid_t>& processes);

}  // namespace prefrontal::sandbox
