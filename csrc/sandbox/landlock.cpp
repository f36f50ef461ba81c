#include "csrc/sandbox/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

// The kernel's interface, written out because system headers lag behind kernels.
struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
struct __attribute__((packed)) Rule {
  std::uint64_t allowed;
  std::int32_t folder;
};

struct PortRule {
  std::uint64_t allowed;
  std::uint64_t port;
};

constexpr long kCreate = 444, kAdd = 445, kRestrict = 446;  // the same on every processor

constexpr std::uint64_t kExecute = 1U << 0U, kWriteFile = 1U << 1U, kReadFile = 1U << 2U,
                        kReadFolder = 1U << 3U, kRemoveFolder = 1U << 4U, kRemoveFile = 1U << 5U,
                        kMakeFolder = 1U << 7U, kMakeFile = 1U << 8U, kRefer = 1U << 13U,
                        kTruncate = 1U << 14U;
constexpr std::uint64_t kTcp = 0b11, kConnect = 0b10, kScopes = 0b11;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate;

std::uint64_t known_rights(int version) {
  if (version >= 5) return (1U << 16U) - 1;  // with ioctl on devices
  if (version >= 3) return (1U << 15U) - 1;
  return version == 2 ? (1U << 14U) - 1 : (1U << 13U) - 1;
}

class Rules {
 public:
  Rules(const Reach& reach, int version) : known_(known_rights(version)) {
    const Ruleset set{known_, version >= 4 && !reach.network ? kTcp : 0,
                      version >= 6 ? kScopes : 0};
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    set_ = static_cast<int>(checked(syscall(kCreate, &set, size, 0), "landlock_create_ruleset"));
  }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  ~Rules() { close(set_); }

  void allow(const std::string& path, std::uint64_t rights) const {
    const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (place < 0) fail(path);
    struct stat facts{};
    checked(fstat(place, &facts), path);
    if (!S_ISDIR(facts.st_mode)) rights &= kOfFiles;
    const Rule rule{rights & known_, place};
    checked(syscall(kAdd, set_, 1, &rule, 0), "landlock rule for " + path);
    close(place);
  }

  void allow_connection(int port) const {
    const PortRule rule{kConnect, static_cast<std::uint64_t>(port)};
    checked(syscall(kAdd, set_, 2, &rule, 0), "landlock rule for a port");
  }

  void restrict_self() const { checked(syscall(kRestrict, set_, 0), "landlock_restrict_self"); }

 private:
  std::uint64_t known_;
  int set_;
};

}  // namespace

int landlock_version() {
  const long version = syscall(kCreate, nullptr, 0, 1);
  return version > 0 ? static_cast<int>(version) : 0;
}

void confine_files(const Reach& reach, int version) {
  const Rules rules(reach, version);
  for (const std::string& path : reach.read) rules.allow(path, kExecute | kReadFile | kReadFolder);
  for (const std::string& path : reach.devices) rules.allow(path, kReadFile | kWriteFile);
  rules.allow(reach.scratch, kReadFile | kReadFolder | kWriteFile | kTruncate | kRefer | kMakeFile |
                                 kMakeFolder | kRemoveFile | kRemoveFolder);
  if (reach.proxy_port != 0 && version >= 4) rules.allow_connection(reach.proxy_port);
  rules.restrict_self();
}

}  // namespace prefrontal::sandbox
