#include "csrc/sandbox/probe.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/json.hpp"
#include "csrc/sandbox/supervisor.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr int kReads = 1, kWrites = 2, kTalks = 4;
constexpr int kOut = 126;
const std::string kGotOut = "it was set up, and a no-op in it could reach outside";

int allowed_at(Level level) {
  if (level == Level::kNone) return kReads | kWrites | kTalks;
  return level == Level::kSeccomp ? kReads | kWrites : 0;
}

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) fail("/proc/self/exe");
  return std::string(path, static_cast<std::size_t>(length));
}

// A folder for the no-op, gone afterwards: in the first of the usual places that can be written.
class EmptyFolder {
 public:
  EmptyFolder() {
    const char* const chosen = getenv("TMPDIR");
    for (const char* place : {chosen != nullptr ? chosen : "", "/tmp", "/var/tmp", "/dev/shm"}) {
      if (*place != '/') continue;
      path = std::string(place) + "/prefrontal-XXXXXX";
      if (mkdtemp(path.data()) != nullptr) return;
    }
    fail("a folder for a no-op in TMPDIR, /tmp, /var/tmp or /dev/shm");
  }
  ~EmptyFolder() { rmdir(path.c_str()); }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;

  std::string path;
};

// A process has one sandbox: whoever asks forks first.
[[noreturn]] void try_level(Level level, const std::string& folder, int sentences) {
  try {
    Request request;
    request.level = level;
    request.max_seconds = 5;
    request.scratch = folder;
    request.read = system_paths();
    request.read.push_back(own_path());
    request.command = {own_path(), "--see"};
    const Report report = supervise(request);
    const bool held = report.stopped.empty() && WIFEXITED(report.status) &&
                      (WEXITSTATUS(report.status) & ~allowed_at(level)) == 0;
    _exit(held ? 0 : kOut);
  } catch (const std::exception& error) {
    const std::string sentence = error.what();
    _exit(write(sentences, sentence.data(), sentence.size()) < 0 ? kOut : 1);
  }
}

}  // namespace

int reached() {
  const bool reads = open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0;
  const bool writes = open("/tmp", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600) >= 0;  // has no name
  const bool talks = socket(AF_INET, SOCK_DGRAM, 0) >= 0;
  return (reads ? kReads : 0) | (writes ? kWrites : 0) | (talks ? kTalks : 0);
}

std::string why_not(Level level) {
  const EmptyFolder folder;
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "pipe");
  const pid_t child = fork();
  if (checked(child, "fork") == 0) try_level(level, folder.path, ends[1]);
  close(ends[1]);
  char sentence[512];
  const ssize_t length = read(ends[0], sentence, sizeof sentence);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (length > 0) return std::string(sentence, static_cast<std::size_t>(length));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : kGotOut;
}

Level strongest() {
  std::string reasons;
  for (const Level level : {Level::kNamespace, Level::kLandlock, Level::kLandlockFiles}) {
    const std::string reason = why_not(level);
    if (reason.empty()) return level;
    const std::string name(kLevels[static_cast<std::size_t>(level)]);
    reasons += (reasons.empty() ? "" : "; ") + name + ": " + reason;
  }
  throw Failure("no level that confines files and network works here (" + reasons + ")");
}

std::string json_of_levels() {
  std::string text;
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    text += (i == 0 ? "" : ",") + quoted(std::string(kLevels[i])) + ":" +
            quoted(why_not(static_cast<Level>(i)));
  return "{\"version\":1,\"levels\":{" + text + "}}\n";
}

}  // namespace prefrontal::sandbox
