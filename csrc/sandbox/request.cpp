#include "csrc/sandbox/request.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr std::array<std::string_view, 5> kLevels{"namespace", "landlock", "landlock-fs", "seccomp",
                                                  "none"};

Level level_of(const std::string& name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    if (kLevels[i] == name) return static_cast<Level>(i);
  throw Failure("--level must be a known level, got " + name);
}

double number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e12)
    throw Failure("a limit must be a positive number, got " + text);
  return value;
}

template <class Number>
auto into(Number& place, double factor = 1) {
  return [&place, factor](const std::string& text) {
    place = static_cast<Number>(number_of(text) * factor);
  };
}

auto into(std::vector<std::string>& list) {
  return [&list](const std::string& text) { list.push_back(text); };
}

using Options = std::map<std::string, std::function<void(const std::string&)>>;

Options options_of(Request& request) {
  return {
      {"--level", [&](const std::string& text) { request.level = level_of(text); }},
      {"--seconds", into(request.max_seconds)},
      {"--memory-mb", into(request.max_memory_kb, 1024)},
      {"--file-mb", into(request.max_file_mb)},
      {"--scratch-mb", into(request.max_scratch_mb)},
      {"--scratch-entries", into(request.max_scratch_entries)},
      {"--processes", into(request.max_processes)},
      {"--open-files", into(request.max_open_files)},
      {"--processors", into(request.processors)},
      {"--landlock-version", into(request.landlock_version)},
      {"--network", [&](const std::string& text) { request.network = text == "on"; }},
      {"--scratch", [&](const std::string& text) { request.scratch = text; }},
      {"--read", into(request.read)},
      {"--variable", into(request.variables)},
  };
}

}  // namespace

Request read_request(int count, char** words) {
  Request request;
  const Options options = options_of(request);
  int at = 1;
  for (; at < count && std::string_view(words[at]) != "--"; at += 2) {
    const auto found = options.find(words[at]);
    if (found == options.end()) throw Failure("unknown option " + std::string(words[at]));
    if (at + 1 >= count) throw Failure(std::string(words[at]) + " must have a value");
    found->second(words[at + 1]);
  }
  for (++at; at < count; ++at) request.command.emplace_back(words[at]);
  if (request.command.empty()) throw Failure("there must be a command after --");
  if (request.scratch.empty() || request.scratch[0] != '/')
    throw Failure("--scratch must be an absolute path, got " + request.scratch);
  return request;
}

}  // namespace prefrontal::sandbox
