// How much disk the scratch folder takes.
#pragma once

#include <string>

namespace prefrontal::sandbox {

struct ScratchSize {
  long kb = 0;
  long entries = 0;
  bool countable = true;  // false: nested deeper than anybody needs
};

// Follows no link. Stops counting once more than `enough_entries` are found.
ScratchSize size_of_folder(const std::string& path, long enough_entries);

}  // namespace prefrontal::sandbox
