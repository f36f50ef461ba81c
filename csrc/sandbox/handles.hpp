// Folders and files that close themselves.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>

namespace prefrontal::sandbox {

struct Closer {
  void operator()(DIR* folder) const { closedir(folder); }
  void operator()(FILE* file) const { fclose(file); }
};
using Folder = std::unique_ptr<DIR, Closer>;
using File = std::unique_ptr<FILE, Closer>;

// Null when it is none, or a link.
inline Folder open_folder(int parent, const char* name) {
  const int descriptor =
      openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  Folder folder(fdopendir(descriptor));
  if (!folder) close(descriptor);
  return folder;
}

inline bool is_dots(const char* name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

}  // namespace prefrontal::sandbox
