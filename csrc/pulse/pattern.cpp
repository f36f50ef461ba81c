#include "csrc/pulse/pattern.hpp"

#include <algorithm>
#include <vector>

#include "csrc/pulse/path_parts.hpp"

namespace prefrontal::pulse {
namespace {

// reached[i]: the pattern so far can be the first i characters of the name.
using Reached = std::vector<bool>;

void step_over_part(std::string_view name, Reached& reached) {
  for (std::size_t i = 0; i < name.size(); ++i)
    if (reached[i] && name[i] != '/') reached[i + 1] = true;
}

void step_over_all(Reached& reached) {
  const auto first = std::find(reached.begin(), reached.end(), true);
  std::fill(first, reached.end(), true);
}

void step_over_folders(std::string_view name, Reached& reached) {
  const auto first = std::find(reached.begin(), reached.end(), true);
  const auto from = static_cast<std::size_t>(first - reached.begin());
  for (std::size_t i = from; i < name.size(); ++i)
    if (name[i] == '/') reached[i + 1] = true;
}

void step_over(char wanted, std::string_view name, Reached& reached) {
  for (std::size_t i = name.size(); i > 0; --i)
    reached[i] = reached[i - 1] && name[i - 1] == wanted;
  reached[0] = false;
}

bool ends_part(const Reached& reached, std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i)
    if (reached[i] && name[i] == '/') return true;
  return reached[name.size()];
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() && pattern.back() == '/') pattern.remove_suffix(1);
  const std::string_view start = pattern.substr(0, pattern.find('*'));
  if (!name.starts_with(start)) return false;
  if (start.size() == pattern.size())
    return name.size() == start.size() || name[start.size()] == '/';
  pattern.remove_prefix(start.size());
  name.remove_prefix(start.size());
  Reached reached(name.size() + 1, false);
  reached[0] = true;
  while (!pattern.empty()) {
    if (pattern.starts_with("**/")) {
      step_over_folders(name, reached);
      pattern.remove_prefix(3);
    } else if (pattern.starts_with("**")) {
      step_over_all(reached);
      pattern.remove_prefix(2);
    } else if (pattern.front() == '*') {
      step_over_part(name, reached);
      pattern.remove_prefix(1);
    } else {
      step_over(pattern.front(), name, reached);
      pattern.remove_prefix(1);
    }
  }
  return ends_part(reached, name);
}

std::string plain_path(std::string_view path) {
  std::string plain;
  for (std::string_view part : path_parts(path)) {
    if (!plain.empty() && plain.back() != '/') plain += '/';
    plain += part;
  }
  return plain;
}

}  // namespace prefrontal::pulse
