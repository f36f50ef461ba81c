// prefrontal-sbx: runs a command where it cannot hurt, and tells how it went.
//
//   prefrontal-sbx --report 3 --level namespace --scratch /folder --read /usr -- /usr/bin/python3
//
// The report, lines of "word value", goes to that descriptor. Exit status: 0 when a command ran,
// 125 when it could not be started (the report says why: "failed ...").
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/request.hpp"
#include "csrc/sandbox/supervisor.hpp"

namespace {

using prefrontal::sandbox::Report;

constexpr int kNotStarted = 125;

void report(int end, const std::string& text) {
  if (write(end, text.data(), text.size()) < 0) _exit(kNotStarted);
}

std::string text_of(const Report& report) {
  char text[512];
  snprintf(text, sizeof text,
           "status %d\nstopped %s\nkilled %d\nmemory_kb %ld\nthreads %d\nscratch_kb %ld\n"
           "wall_us %ld\ncpu_us %ld\n",
           report.status, report.stopped.c_str(), report.killed, report.memory_kb, report.threads,
           report.scratch_kb, report.wall_us, report.cpu_us);
  return text;
}

// Run inside a sandbox to see that it holds: exit status 0 when files outside cannot be read or
// made and no internet socket can be opened.
int see_whether_it_holds() {
  const bool reads = open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0;
  const bool writes = open("/tmp", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600) >= 0;  // has no name
  const bool talks = socket(AF_INET, SOCK_DGRAM, 0) >= 0;
  return (reads ? 1 : 0) | (writes ? 2 : 0) | (talks ? 4 : 0);
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && strcmp(words[1], "--see") == 0) return see_whether_it_holds();
  if (count < 3 || strcmp(words[1], "--report") != 0) return kNotStarted;
  const int end = atoi(words[2]);
  try {
    fcntl(end, F_SETFD, FD_CLOEXEC);
    const auto request = prefrontal::sandbox::read_request(count - 2, words + 2);
    report(end, text_of(prefrontal::sandbox::supervise(request)));
    return 0;
  } catch (const std::exception& error) {
    report(end, "failed " + std::string(error.what()) + "\n");
    return kNotStarted;
  }
}
