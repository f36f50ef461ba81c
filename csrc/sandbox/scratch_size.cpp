#include "csrc/sandbox/scratch_size.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "csrc/sandbox/handles.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr int kDeepest = 48;

using Inode = std::pair<unsigned long, unsigned long>;  // device, number
using Held = std::map<Inode, long>;                     // kilobytes

bool is_dots(const char* name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

Folder opened(int parent, const char* name) {
  const int descriptor =
      openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  Folder folder(fdopendir(descriptor));
  if (!folder) close(descriptor);
  return folder;
}

void add_folder(int parent, const char* name, int depth, long enough, ScratchSize& size) {
  const Folder folder = opened(parent, name);
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

void add_open_files(const std::string& process, Held& held) {
  const Folder folder = opened(AT_FDCWD, (process + "/fd").c_str());
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    struct stat facts{};
    if (is_dots(entry->d_name) || fstatat(dirfd(folder.get()), entry->d_name, &facts, 0) != 0)
      continue;
    if (S_ISREG(facts.st_mode) && facts.st_nlink == 0)
      held[{facts.st_dev, facts.st_ino}] = facts.st_blocks / 2;
  }
}

// A line is "from-to rights offset major:minor inode path (deleted)".
void add_mapped_files(const std::string& process, Held& held) {
  const std::unique_ptr<FILE, Closer> maps(fopen((process + "/maps").c_str(), "re"));
  char line[512];
  while (maps && fgets(line, sizeof line, maps.get())) {
    unsigned long from = 0, to = 0, offset = 0, major = 0, minor = 0, inode = 0;
    if (!strstr(line, "(deleted)") || strstr(line, " /dev/zero ")) continue;  // that is memory
    if (sscanf(line, "%lx-%lx %*s %lx %lx:%lx %lu", &from, &to, &offset, &major, &minor, &inode) <
        6)
      continue;
    long& kb = held[{major << 8U | minor, inode}];
    kb = std::max(kb, static_cast<long>((offset + to - from) / 1024));
  }
}

}  // namespace

ScratchSize size_of_folder(const std::string& path, long enough_entries) {
  ScratchSize size;
  add_folder(AT_FDCWD, path.c_str(), 0, enough_entries, size);
  return size;
}

long deleted_kb(const std::vector<pid_t>& processes) {
  Held held;
  for (const pid_t process : processes) {
    const std::string place = "/proc/" + std::to_string(process);
    add_open_files(place, held);
    add_mapped_files(place, held);
  }
  long kb = 0;
  for (const auto& [inode, size] : held) kb += size;
  return kb;
}

}  // namespace prefrontal::sandbox
