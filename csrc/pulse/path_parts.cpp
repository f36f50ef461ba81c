#include "csrc/pulse/path_parts.hpp"

#include <algorithm>

namespace prefrontal::pulse {

std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> parts;
  if (path.starts_with('/')) parts.push_back(path.substr(0, 1));
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      if (parts.back() != "/") parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

}  // namespace prefrontal::pulse
