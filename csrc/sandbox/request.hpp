// What the launcher is asked to do: its command line, or a JSON object, as values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace prefrontal::sandbox {

// From strongest to weakest; each is defined in docs/sandbox.md.
enum class Level { kNamespace, kLandlock, kLandlockFiles, kSeccomp, kNone };
inline constexpr std::array<std::string_view, 5> kLevels{"namespace", "landlock", "landlock-fs",
                                                         "seccomp", "none"};

// kProxy: one port of its own loopback, on which the caller answers.
enum class Network { kOff, kOn, kProxy };

struct Request {
  Level level = Level::kNamespace;
  bool strongest = true;  // the strongest level that works, instead of `level`
  double max_seconds = 30;
  long max_memory_kb = 512L * 1024;  // of all processes together, and of each one's data
  long max_file_mb = 64;
  long max_scratch_mb = 256;
  long max_scratch_entries = 20'000;
  int max_processes = 64;  // threads count
  int max_open_files = 128;
  int processors = 1;
  int landlock_version = 1000;  // at most; to see how an older kernel would do
  Network network = Network::kOff;
  int proxy_socket = -1;               // a Unix socket: takes the listening socket of the proxy
  int report = -1;                     // a descriptor for the report; -1: none
  std::string scratch;                 // absolute, no links
  std::vector<std::string> read;       // absolute, existing
  std::vector<std::string> variables;  // NAME=value
  std::vector<std::string> command;
};

// --level L --seconds S ... -- COMMAND...; fills the request as far as it comes, and throws Failure
// for anything unknown.
void read_request(const std::vector<std::string>& words, Request& request);

// Absolute paths, a default environment, a command that was found. Throws Failure.
void complete(Request& request);

// The system's programs and libraries, as far as they are here.
std::vector<std::string> system_paths();

Level level_of(std::string_view name);

}  // namespace prefrontal::sandbox
