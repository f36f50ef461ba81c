// What processes hold through descriptors and mappings, which no other measure of theirs counts.
#pragma once

#include <sys/types.h>

#include <vector>

namespace prefrontal::sandbox {

struct Holdings {
  long deleted_kb = 0;  // disk of files without a name, open or mapped
  long buffers_kb = 0;  // memory of the kernel: what pipes and sockets hold when they are full
  long pipes = 0;
};

// Each file, pipe and socket counts once, however many hold it.
Holdings holdings_of(const std::vector<pid_t>& processes);

}  // namespace prefrontal::sandbox
