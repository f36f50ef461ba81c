#include "csrc/sandbox/confinement.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "csrc/sandbox/credentials.hpp"
#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/landlock.hpp"
#include "csrc/sandbox/limits.hpp"
#include "csrc/sandbox/namespaces.hpp"
#include "csrc/sandbox/proxy_port.hpp"
#include "csrc/sandbox/syscall_filter.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr int kFailureEnd = 3;  // in the command, until it starts
constexpr int kTcpKnown = 4, kTruncationKnown = 3, kSignalsKnown = 6;  // versions of Landlock

int version_of(const Request& request) {
  return std::min(landlock_version(), request.landlock_version);
}

Reach reach_of(const Request& request) {
  Reach reach{request.read,
              {},
              request.scratch,
              request.network == Network::kOn,
              request.network == Network::kProxy ? kProxyPort : 0};
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
    if (access(device, F_OK) == 0) reach.devices.emplace_back(device);
  return reach;
}

void confine(const Request& request, const Wiring& wiring) {
  const Reach reach = reach_of(request);
  const bool alone = request.level == Level::kNamespace;
  const int version = request.level <= Level::kLandlockFiles ? version_of(request) : 0;
  if (alone) separate_everything_else(reach);
  if (request.network == Network::kProxy) hand_out_listener(request.proxy_socket);
  keep_to_processors(request.processors, wiring.ordinal);
  set_limits(request, wiring.processes_before);
  checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  if (request.level != Level::kNone) give_up_privileges(wiring.ordinal);
  checked(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
  if (version > 0) confine_files(reach, version);
  if (request.level == Level::kNone) return;
  filter_system_calls({.network = request.network == Network::kOn,
                       .proxy = request.network == Network::kProxy,
                       .guard_metadata = !alone,
                       .guard_signals = !alone && version < kSignalsKnown,
                       .guard_truncate = !alone && version < kTruncationKnown});
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

void close_from(int first) {
  constexpr long kCloseRange = 436;  // younger than many system headers
  if (syscall(kCloseRange, first, ~0U, 0) == 0) return;
  for (int descriptor = first; descriptor < 4096; ++descriptor) close(descriptor);
}

void start(const Request& request) {
  checked(chdir(request.scratch.c_str()), request.scratch);
  close_from(kFailureEnd + 1);
  for (int number = 1; number < 65; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(request.command[0].c_str(), pointers(request.command).data(),
         pointers(request.variables).data());
  fail(request.command[0] + " cannot be started");
}

// The first process of a namespace waits for everybody; when it ends, everybody ends.
[[noreturn]] void wait_for(pid_t command, int verdict_end) {
  Verdict verdict;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(-1, &status, 0)) != command || ended < 0)
    if (ended < 0 && errno != EINTR) _exit(1);
  verdict.status = status;
  kill(-1, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) ++verdict.killed;
  const bool told = write(verdict_end, &verdict, sizeof verdict) == sizeof verdict;
  _exit(told ? 0 : 1);
}

void tell(int end, const std::string& sentence) {
  if (write(end, sentence.data(), sentence.size()) < 0) _exit(126);
}

}  // namespace

void require(const Request& request) {
  if (request.network == Network::kProxy && request.level != Level::kNamespace)
    throw Failure("--network proxy needs the level namespace");
  const int version = version_of(request);
  if (request.level == Level::kLandlock && version < kTcpKnown)
    throw Failure("Landlock must be version 4 or newer, the kernel's is " +
                  std::to_string(version));
  if (request.level == Level::kLandlockFiles && version < 1)
    throw Failure("the kernel has no Landlock, or it is switched off");
}

void become_command(const Request& request, const Wiring& wiring) {
  int failure = wiring.failure;
  try {
    checked(setsid(), "setsid");
    confine(request, wiring);
    const pid_t command = request.level == Level::kNamespace ? fork() : 0;
    if (checked(command, "fork") > 0) {
      close(failure);
      failure = -1;
      wait_for(command, wiring.verdict);
    }
    if (request.level == Level::kNamespace) prctl(PR_SET_PDEATHSIG, SIGKILL);
    failure = static_cast<int>(checked(dup3(wiring.failure, kFailureEnd, O_CLOEXEC), "dup3"));
    start(request);
  } catch (const std::exception& error) {
    tell(failure, error.what());
  }
  _exit(127);
}

}  // namespace prefrontal::sandbox
