// What the launcher is asked to do: its command line as values.
#pragma once

#include <string>
#include <vector>

namespace prefrontal::sandbox {

// From strongest to weakest; each is defined in docs/sandbox.md.
enum class Level { kNamespace, kLandlock, kLandlockFiles, kSeccomp, kNone };

struct Request {
  Level level = Level::kNamespace;
  double max_seconds = 30;
  long max_memory_kb = 512L * 1024;  // of all processes together, and of each one's data
  long max_file_mb = 64;
  long max_scratch_mb = 256;
  long max_scratch_entries = 20'000;
  int max_processes = 64;  // threads count
  int max_open_files = 128;
  int processors = 1;
  int landlock_version = 1000;  // at most; to see how an older kernel would do
  bool network = false;
  std::string scratch;                 // absolute, no links
  std::vector<std::string> read;       // absolute, no links, existing
  std::vector<std::string> variables;  // NAME=value
  std::vector<std::string> command;
};

// --level L --seconds S --memory-mb M ... -- COMMAND...; throws Failure for anything unknown.
Request read_request(int count, char** words);

}  // namespace prefrontal::sandbox
