// How much disk the scratch folder takes, and files that are deleted but still held open.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace prefrontal::sandbox {

struct ScratchSize {
  long kb = 0;
  long entries = 0;
  bool countable = true;  // false: nested deeper than anybody needs
};

// Follows no link. Stops counting once more than `enough_entries` are found.
ScratchSize size_of_folder(const std::string& path, long enough_entries);

// Disk that these processes hold in files without a name, open or mapped.
long deleted_kb(const std::vector<pid_t>& processes);

}  // namespace prefrontal::sandbox
