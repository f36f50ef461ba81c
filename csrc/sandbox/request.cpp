#include "csrc/sandbox/request.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <functional>
#include <map>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr std::array kPrograms{"/usr/local/bin/", "/usr/bin/", "/bin/"};

double number_of(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e9)
    throw Failure(name + " must be above 0 and at most 1e9, got " + text);
  return value;
}

int descriptor_of(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 0 || value > INT_MAX)
    throw Failure(name + " must be the number of an open descriptor, got " + text);
  return static_cast<int>(value);
}

Network network_of(const std::string& text) {
  if (text == "off") return Network::kOff;
  if (text == "on") return Network::kOn;
  if (text == "proxy") return Network::kProxy;
  throw Failure("--network must be off, on or proxy, got " + text);
}

using Store = std::function<void(const std::string& name, const std::string& text)>;

template <class Number>
Store number_into(Number& place, long factor = 1) {
  return [&place, factor](const std::string& name, const std::string& text) {
    place = static_cast<Number>(number_of(name, text) * static_cast<double>(factor));
    if (place <= 0) throw Failure(name + " must be at least 1, got " + text);
  };
}

Store number_into(double& place) {
  return
      [&place](const std::string& name, const std::string& text) { place = number_of(name, text); };
}

Store descriptor_into(int& place) {
  return [&place](const std::string& name, const std::string& text) {
    place = descriptor_of(name, text);
  };
}

Store text_into(std::string& place) {
  return [&place](const std::string&, const std::string& text) { place = text; };
}

Store text_into(std::vector<std::string>& list) {
  return [&list](const std::string&, const std::string& text) { list.push_back(text); };
}

std::map<std::string, Store, std::less<>> options_of(Request& request) {
  return {
      {"--level",
       [&](const std::string&, const std::string& text) {
         request.strongest = text == "auto";
         if (!request.strongest) request.level = level_of(text);
       }},
      {"--seconds", number_into(request.max_seconds)},
      {"--memory-mb", number_into(request.max_memory_kb, 1024)},
      {"--file-mb", number_into(request.max_file_mb)},
      {"--scratch-mb", number_into(request.max_scratch_mb)},
      {"--scratch-entries", number_into(request.max_scratch_entries)},
      {"--processes", number_into(request.max_processes)},
      {"--open-files", number_into(request.max_open_files)},
      {"--processors", number_into(request.processors)},
      {"--landlock-version", number_into(request.landlock_version)},
      {"--network",
       [&](const std::string&, const std::string& text) { request.network = network_of(text); }},
      {"--proxy-socket", descriptor_into(request.proxy_socket)},
      {"--report", descriptor_into(request.report)},
      {"--scratch", text_into(request.scratch)},
      {"--read", text_into(request.read)},
      {"--variable", text_into(request.variables)},
  };
}

std::string absolute(const std::string& path, const std::string& name) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) throw Failure(name + " must exist, got '" + path + "'");
  std::string result(real);
  std::free(real);
  return result;
}

void complete_scratch(Request& request) {
  if (request.scratch.empty()) throw Failure("--scratch must name a folder");
  request.scratch = absolute(request.scratch, "--scratch");
  struct stat facts{};
  if (stat(request.scratch.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) ||
      request.scratch == "/")
    throw Failure("--scratch must be a folder other than /, got '" + request.scratch + "'");
}

void complete_read(Request& request) {
  if (request.read.empty()) request.read.emplace_back("system");
  std::vector<std::string> paths;
  for (const std::string& path : request.read) {
    if (path == "system") {
      for (std::string& each : system_paths()) paths.push_back(std::move(each));
    } else if (path[0] == '/') {
      paths.push_back(path);
    } else {
      paths.push_back(absolute(path, "--read"));
    }
    if (paths.back() == "/") throw Failure("--read must be less than everything, got '/'");
  }
  request.read = std::move(paths);
}

void complete_variables(Request& request) {
  for (const std::string& each : request.variables)
    if (each.find('=') == std::string::npos || each[0] == '=' || each.starts_with("LD_"))
      throw Failure("--variable must be NAME=VALUE, not of the loader, got '" + each + "'");
  if (!request.variables.empty()) return;
  request.variables = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8",
                       "TMPDIR=" + request.scratch};
}

void complete_command(Request& request) {
  if (request.command.empty()) throw Failure("there must be a command after --");
  std::string& program = request.command[0];
  if (program.find('/') != std::string::npos) {
    if (program[0] != '/') program = absolute(program, "the command");
    return;
  }
  for (const char* folder : kPrograms) {
    if (access((folder + program).c_str(), X_OK) != 0) continue;
    program = folder + program;
    return;
  }
  throw Failure("the command must be a program of /usr/local/bin, /usr/bin or /bin, got '" +
                program + "'");
}

}  // namespace

Level level_of(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    if (kLevels[i] == name) return static_cast<Level>(i);
  throw Failure("--level must be auto, namespace, landlock, landlock-fs, seccomp or none, got " +
                std::string(name));
}

void read_request(const std::vector<std::string>& words, Request& request) {
  const auto options = options_of(request);
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "--"; at += 2) {
    const auto option = options.find(words[at]);
    if (option == options.end()) throw Failure("unknown option " + words[at]);
    if (at + 1 >= words.size()) throw Failure(words[at] + " must have a value");
    option->second(words[at], words[at + 1]);
  }
  for (++at; at < words.size(); ++at) request.command.push_back(words[at]);
}

void complete(Request& request) {
  complete_scratch(request);
  complete_read(request);
  complete_variables(request);
  complete_command(request);
  if ((request.network == Network::kProxy) != (request.proxy_socket >= 0))
    throw Failure("--network proxy and --proxy-socket must come together");
}

std::vector<std::string> system_paths() {
  std::vector<std::string> paths;
  for (const char* path :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache",
        "/etc/alternatives", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"}) {
    struct stat facts{};
    if (lstat(path, &facts) == 0 && !S_ISLNK(facts.st_mode)) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace prefrontal::sandbox
