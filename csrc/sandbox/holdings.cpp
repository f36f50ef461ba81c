#include "csrc/sandbox/holdings.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "csrc/sandbox/handles.hpp"

namespace prefrontal::sandbox {
namespace {

// Nobody here can have them enlarged: the filter refuses F_SETPIPE_SZ and SO_SNDBUF.
constexpr long kPipeKb = 64;     // 16 pages
constexpr long kSocketKb = 256;  // net.core.wmem_default and the message that passes it
constexpr long kAreasInKb = 4;   // of the kernel's own record of each

using Inode = std::pair<unsigned long, unsigned long>;  // device, number

struct Held {
  std::map<Inode, long> deleted_kb;
  std::set<Inode> pipes;
  std::set<Inode> sockets;
  long areas = 0;
};

void add_open_files(const std::string& process, Held& held) {
  const Folder folder = open_folder(AT_FDCWD, (process + "/fd").c_str());
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    struct stat facts{};
    if (is_dots(entry->d_name) || fstatat(dirfd(folder.get()), entry->d_name, &facts, 0) != 0)
      continue;
    const Inode inode{facts.st_dev, facts.st_ino};
    if (S_ISFIFO(facts.st_mode)) held.pipes.insert(inode);
    if (S_ISSOCK(facts.st_mode)) held.sockets.insert(inode);
    if (S_ISREG(facts.st_mode) && facts.st_nlink == 0) held.deleted_kb[inode] = facts.st_blocks / 2;
  }
}

// A line is "from-to rights offset major:minor inode path (deleted)".
void add_mapped_files(const std::string& process, Held& held) {
  const std::unique_ptr<FILE, Closer> maps(fopen((process + "/maps").c_str(), "re"));
  char line[512];
  while (maps && held.areas <= kMostAreas && fgets(line, sizeof line, maps.get())) {
    if (strchr(line, '\n')) ++held.areas;  // a long path takes several reads
    unsigned long from = 0, to = 0, offset = 0, major = 0, minor = 0, inode = 0;
    if (!strstr(line, "(deleted)") || strstr(line, " /dev/zero ")) continue;  // that is memory
    if (sscanf(line, "%lx-%lx %*s %lx %lx:%lx %lu", &from, &to, &offset, &major, &minor, &inode) <
        6)
      continue;
    long& kb = held.deleted_kb[{major << 8U | minor, inode}];
    kb = std::max(kb, static_cast<long>((offset + to - from) / 1024));
  }
}

}  // namespace

Holdings holdings_of(const std::vector<pid_t>& processes) {
  Held held;
  for (const pid_t process : processes) {
    const std::string place = "/proc/" + std::to_string(process);
    add_open_files(place, held);
    add_mapped_files(place, held);
  }
  Holdings holdings;
  for (const auto& [inode, size] : held.deleted_kb) holdings.deleted_kb += size;
  holdings.areas = held.areas;
  holdings.pipes = static_cast<long>(held.pipes.size());
  holdings.buffers_kb = holdings.pipes * kPipeKb +
                        static_cast<long>(held.sockets.size()) * kSocketKb +
                        held.areas / kAreasInKb;
  return holdings;
}

}  // namespace prefrontal::sandbox
