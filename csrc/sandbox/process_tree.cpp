#include "csrc/sandbox/process_tree.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/handles.hpp"

namespace prefrontal::sandbox {
namespace {

std::string place(pid_t process, const char* what) {
  return "/proc/" + std::to_string(process) + "/" + what;
}

File opened(const std::string& path) { return File(fopen(path.c_str(), "re")); }

std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  const Folder folder(opendir(path.c_str()));
  if (!folder) return numbers;
  while (const dirent* entry = readdir(folder.get()))
    if (const int number = atoi(entry->d_name)) numbers.push_back(number);
  return numbers;
}

// Numbers after "Name:" in a file of such lines; 0 for one that is not there.
template <std::size_t count>
std::array<long, count> fields(pid_t process, const char* file, const char* const (&names)[count]) {
  std::array<long, count> numbers{};
  const File status = opened(place(process, file));
  char line[256];
  while (status && fgets(line, sizeof line, status.get()))
    for (std::size_t i = 0; i < count; ++i)
      if (strncmp(line, names[i], strlen(names[i])) == 0)
        numbers[i] = atol(line + strlen(names[i]));
  return numbers;
}

long field(pid_t process, const char* file, const char* name) {
  return fields(process, file, {name})[0];
}

bool tells_children() {
  static const bool told =
      access(("/proc/self/task/" + std::to_string(getpid()) + "/children").c_str(), R_OK) == 0;
  return told;
}

void add_children(pid_t parent, std::vector<pid_t>& found) {
  for (const pid_t thread : numbers_in(place(parent, "task"))) {
    const File list = opened(place(parent, "task/") + std::to_string(thread) + "/children");
    int child = 0;
    while (list && fscanf(list.get(), "%d", &child) == 1) found.push_back(child);
  }
}

std::vector<pid_t> by_parents(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t process : all_processes())
    children.emplace(static_cast<pid_t>(field(process, "status", "PPid:")), process);
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  return {found.begin() + 1, found.end()};
}

long resident_kb(pid_t process) {
  static const long page_kb = sysconf(_SC_PAGESIZE) / 1024;
  const File statm = opened(place(process, "statm"));
  long size = 0;
  long resident = 0;
  if (!statm || fscanf(statm.get(), "%ld %ld", &size, &resident) != 2) return 0;
  return resident * page_kb;
}

}  // namespace

std::vector<pid_t> all_processes() {
  std::vector<pid_t> processes = numbers_in("/proc");
  if (processes.empty()) throw Failure("/proc must be there to watch processes");
  return processes;
}

std::vector<pid_t> descendants_of(pid_t root) {
  if (!tells_children()) return by_parents(root);
  std::vector<pid_t> found;
  add_children(root, found);
  for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i], found);
  return found;
}

int threads_of(pid_t process, uid_t user) {
  struct stat facts{};
  if (stat(("/proc/" + std::to_string(process)).c_str(), &facts) != 0 || facts.st_uid != user)
    return 0;
  return static_cast<int>(field(process, "status", "Threads:"));
}

Usage usage_of(const std::vector<pid_t>& processes, long exact_above_kb) {
  Usage usage;
  long tables_kb = 0;  // of pages: large where memory is read here and there
  for (const pid_t process : processes) {
    const auto [tables, swapped, threads] =
        fields(process, "status", {"VmPTE:", "VmSwap:", "Threads:"});
    const long own_kb = resident_kb(process) + swapped;
    usage.memory_kb += own_kb;
    tables_kb += tables;
    usage.alive += own_kb > 0 ? 1 : 0;  // what has ended has no memory
    usage.threads += static_cast<int>(threads);
  }
  usage.memory_kb += tables_kb;
  if (usage.memory_kb <= exact_above_kb) return usage;
  long exact_kb = tables_kb;
  for (const pid_t process : processes) {
    const auto [fair, swapped] = fields(process, "smaps_rollup", {"Pss:", "SwapPss:"});
    exact_kb += fair + swapped > 0 ? fair + swapped : resident_kb(process);
  }
  usage.memory_kb = exact_kb;
  return usage;
}

}  // namespace prefrontal::sandbox
