#include "csrc/sandbox/supervisor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "csrc/sandbox/confinement.hpp"
#include "csrc/sandbox/credentials.hpp"
#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/holdings.hpp"
#include "csrc/sandbox/limits.hpp"
#include "csrc/sandbox/namespaces.hpp"
#include "csrc/sandbox/process_tree.hpp"
#include "csrc/sandbox/scratch_size.hpp"

namespace prefrontal::sandbox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr auto kPoll = milliseconds(20);
constexpr auto kSlowPoll = milliseconds(60);
constexpr int kSlowShare = 5;     // counting a big folder takes at most a fifth of the time
constexpr long kMostPipes = 512;  // half of what a user may have before pipes of others shrink

struct Pipe {
  int ends[2];
  Pipe() { checked(pipe2(ends, O_CLOEXEC), "pipe"); }
};

std::string read_all(int end) {
  std::string text;
  char part[512];
  ssize_t length = 0;
  while ((length = read(end, part, sizeof part)) > 0)
    text.append(part, static_cast<size_t>(length));
  return text;
}

sigset_t signals_awaited() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

class Watch {
 public:
  Watch(const Request& request, pid_t starter) : request_(request), starter_(starter) {}

  void start(pid_t first) {
    first_ = first;
    began_ = Clock::now();
    slow_due_ = began_ + kSlowPoll;
  }

  // Until the first process has ended or must be ended.
  void until_the_end() {
    while (!reap() && report.stopped.empty()) {
      wait_a_moment();
      if (reap()) break;
      report.stopped = broken_limit();
    }
  }

  // Everybody else too; returns when no process is left.
  void end_everybody() {
    for (bool first_time = true; !nobody_left(); first_time = false) {
      const std::vector<pid_t> left = descendants_of(getpid());
      if (first_time) report.killed += alive(left);
      for (const pid_t process : left) kill(process, SIGKILL);
      usleep(200);
    }
    finish();
  }

  Report report;
  bool ended = false;  // the first process, by itself

 private:
  void wait_a_moment() {
    const auto left = began_ + limit() - Clock::now();
    const auto pause = std::clamp<Clock::duration>(left, Clock::duration(0), kPoll);
    const timespec time{0, std::chrono::nanoseconds(pause).count()};
    const sigset_t signals = signals_awaited();
    const int got = sigtimedwait(&signals, nullptr, &time);
    if (got > 0 && got != SIGCHLD) report.signal = got;
  }

  Clock::duration limit() const {
    return duration_cast<Clock::duration>(std::chrono::duration<double>(request_.max_seconds));
  }

  bool reap() {
    int status = 0;
    pid_t process = 0;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
      if (process != first_) continue;
      ended = true;
      report.status = status;
    }
    return ended;
  }

  bool nobody_left() {
    reap();
    return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
  }

  const char* broken_limit() {
    if (report.signal != 0 || getppid() != starter_) return "caller";
    const std::vector<pid_t> processes = descendants_of(getpid());
    const bool disk_full = Clock::now() >= slow_due_ && look_slowly(processes);
    const Usage usage = usage_of(processes, request_.max_memory_kb - holdings_.buffers_kb);
    const long memory_kb = usage.memory_kb + holdings_.buffers_kb;
    report.memory_kb = std::max(report.memory_kb, memory_kb);
    report.threads = std::max(report.threads, usage.threads - waiting_first());
    if (memory_kb > request_.max_memory_kb || holdings_.pipes > kMostPipes ||
        holdings_.areas > kMostAreas)
      return "memory";
    if (usage.threads - waiting_first() > request_.max_processes) return "processes";
    if (disk_full) return "disk";
    return Clock::now() - began_ >= limit() ? "time" : "";
  }

  // A namespace has a first process of ours.
  int waiting_first() const { return request_.level == Level::kNamespace ? 1 : 0; }

  // What takes longer to count; returns whether the disk is full.
  bool look_slowly(const std::vector<pid_t>& processes) {
    const auto before = Clock::now();
    holdings_ = holdings_of(processes);
    const bool full = count_disk(holdings_.deleted_kb);
    const auto took = Clock::now() - before;
    slow_due_ = before + std::max<Clock::duration>(kSlowPoll, took * kSlowShare);
    return full;
  }

  bool count_disk(long held_kb) {
    const ScratchSize size = size_of_folder(request_.scratch, request_.max_scratch_entries);
    report.scratch_kb = size.kb;
    return size.kb + held_kb > request_.max_scratch_mb * 1024 || !size.countable ||
           size.entries > request_.max_scratch_entries;
  }

  int alive(const std::vector<pid_t>& processes) const {
    const Usage usage = usage_of(processes, request_.max_memory_kb * 1024);
    return std::max(0, usage.alive - (ended ? 0 : waiting_first()));
  }

  void finish() {
    report.wall_us = duration_cast<microseconds>(Clock::now() - began_).count();
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    report.memory_kb = std::max(report.memory_kb, usage.ru_maxrss);
    report.cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000L +
                    usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    if (report.stopped.empty() && count_disk(0)) report.stopped = "disk";
  }

  const Request& request_;
  pid_t starter_;
  pid_t first_ = 0;
  Clock::time_point began_;
  Clock::time_point slow_due_;
  Holdings holdings_;
};

int processes_before(const Request& request) {
  const bool shared = request.level != Level::kNamespace && geteuid() != 0;
  return shared ? threads_of_user() : request.level == Level::kNamespace ? 1 : 0;
}

void take_verdict(int end, Report& report) {
  Verdict verdict;
  const bool whole = read(end, &verdict, sizeof verdict) == sizeof verdict;
  report.status = whole ? verdict.status : SIGKILL;
  report.killed += whole ? verdict.killed : 0;
}

}  // namespace

Report supervise(const Request& request) {
  require(request);
  Watch watch(request, getppid());
  const sigset_t signals = signals_awaited();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  checked(prctl(PR_SET_CHILD_SUBREAPER, 1), "PR_SET_CHILD_SUBREAPER");
  const Pipe failure;
  const Pipe verdict;
  const Wiring wiring{failure.ends[1], verdict.ends[1], processes_before(request), getpid()};
  if (request.level == Level::kNamespace) separate_processes();
  checked(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
  const pid_t first = fork();
  if (checked(first, "fork") == 0) become_command(request, wiring);
  watch.start(first);
  look_at_files_of(wiring.ordinal);
  close(failure.ends[1]);
  close(verdict.ends[1]);
  if (request.proxy_socket >= 0) close(request.proxy_socket);
  const std::string sentence = read_all(failure.ends[0]);
  if (sentence.empty()) watch.until_the_end();
  watch.end_everybody();
  if (!sentence.empty()) throw Failure(sentence);
  if (request.level == Level::kNamespace) take_verdict(verdict.ends[0], watch.report);
  return watch.report;
}

}  // namespace prefrontal::sandbox
