// Landlock: which files, TCP ports, abstract sockets and signals are within reach, by the kernel.
#pragma once

#include <string>
#include <vector>

namespace prefrontal::sandbox {

// The kernel's version of Landlock; 0 where it has none or it is switched off.
int landlock_version();

struct Reach {
  std::vector<std::string> read;     // files and folders to read and to execute
  std::vector<std::string> devices;  // files to read and to write
  std::string scratch;               // the folder to read and to write; nothing there executes
  bool network = false;
  int proxy_port = 0;  // the one port that may be connected to; 0: none
};

// Confines this process and all it starts, for good. Everything not in `reach` is out of reach as
// far as version `version` knows it: 1 files, 2 renames, 3 truncation, 4 TCP, 6 signals and
// abstract sockets. Throws Failure.
void confine_files(const Reach& reach, int version);

}  // namespace prefrontal::sandbox
