#include "csrc/sandbox/scratch_size.hpp"

#include <sys/stat.h>

#include "csrc/sandbox/handles.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr int kDeepest = 48;

void add_folder(int parent, const char* name, int depth, long enough, ScratchSize& size) {
  const Folder folder = open_folder(parent, name);
  if (!folder) return;
  if (depth > kDeepest) size.countable = false;
  while (const dirent* entry = size.countable ? readdir(folder.get()) : nullptr) {
    struct stat facts{};
    if (is_dots(entry->d_name) || size.entries > enough) continue;
    if (fstatat(dirfd(folder.get()), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ++size.entries;
    size.kb += facts.st_blocks / 2;
    if (S_ISDIR(facts.st_mode))
      add_folder(dirfd(folder.get()), entry->d_name, depth + 1, enough, size);
  }
}

}  // namespace

ScratchSize size_of_folder(const std::string& path, long enough_entries) {
  ScratchSize size;
  add_folder(AT_FDCWD, path.c_str(), 0, enough_entries, size);
  return size;
}

}  // namespace prefrontal::sandbox
