// The parts of a path; the first part of an absolute one is "/".
#pragma once

#include <string_view>
#include <vector>

namespace prefrontal::pulse {

// "." and empty parts do not count, and ".." takes the part before it away, but never the leading
// "/".
std::vector<std::string_view> path_parts(std::string_view path);

}  // namespace prefrontal::pulse
