#include "csrc/sandbox/limits.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/process_tree.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr rlim_t kMegabyte = 1024UL * 1024UL;

// Never above what this process may use itself. room: from the signal at the limit to the end.
void limit(int resource, rlim_t value, const char* name, rlim_t room = 0) {
  rlimit now{};
  checked(getrlimit(resource, &now), name);
  const rlimit wanted{std::min(value, now.rlim_max), std::min(value + room, now.rlim_max)};
  checked(setrlimit(resource, &wanted), name);
}

}  // namespace

void set_limits(const Request& request, int processes_before) {
  const auto of = [](auto number) { return static_cast<rlim_t>(number); };
  limit(RLIMIT_DATA, of(request.max_memory_kb) * 1024, "RLIMIT_DATA");
  limit(RLIMIT_STACK, 8 * kMegabyte, "RLIMIT_STACK");
  limit(RLIMIT_CPU, of(std::ceil(request.max_seconds)) * of(request.processors), "RLIMIT_CPU", 1);
  limit(RLIMIT_FSIZE, of(request.max_file_mb) * kMegabyte, "RLIMIT_FSIZE");
  limit(RLIMIT_NOFILE, of(request.max_open_files), "RLIMIT_NOFILE");
  limit(RLIMIT_NPROC, of(request.max_processes + processes_before), "RLIMIT_NPROC");
  limit(RLIMIT_CORE, 1, "RLIMIT_CORE");  // 1, not 0, keeps a crash from a collecting program too
  limit(RLIMIT_MSGQUEUE, 0, "RLIMIT_MSGQUEUE");
  limit(RLIMIT_MEMLOCK, kMegabyte / 16, "RLIMIT_MEMLOCK");
  limit(RLIMIT_SIGPENDING, 1024, "RLIMIT_SIGPENDING");
  limit(RLIMIT_RTPRIO, 0, "RLIMIT_RTPRIO");
}

void keep_to_processors(int count, int ordinal) {
  cpu_set_t allowed;
  checked(sched_getaffinity(0, sizeof allowed, &allowed), "sched_getaffinity");
  const int total = CPU_COUNT(&allowed);
  const int first = ordinal % total;
  cpu_set_t kept;
  CPU_ZERO(&kept);
  int seen = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if ((seen - first + total) % total < count) CPU_SET(cpu, &kept);
    ++seen;
  }
  checked(sched_setaffinity(0, sizeof kept, &kept), "sched_setaffinity");
}

int threads_of_user() {
  int threads = 0;
  for (const pid_t process : all_processes()) threads += threads_of(process, getuid());
  return threads;
}

}  // namespace prefrontal::sandbox
