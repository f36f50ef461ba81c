// Folders and files that close themselves.
#pragma once

#include <dirent.h>

#include <cstdio>
#include <memory>

namespace prefrontal::sandbox {

struct Closer {
  void operator()(DIR* folder) const { closedir(folder); }
  void operator()(FILE* file) const { fclose(file); }
};
using Folder = std::unique_ptr<DIR, Closer>;
using File = std::unique_ptr<FILE, Closer>;

}  // namespace prefrontal::sandbox
