// What a module wants of one source besides files, memory and time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "csrc/pulse/event.hpp"

namespace prefrontal::pulse {

// One thing an event must say: any of the patterns, in any of the fields that it has.
struct Condition {
  enum class How { path, pattern, any_case, contains };  // of a path only the plain form counts

  std::vector<std::string> fields;  // "location", "delta_type", "text", or names of features
  How how = How::pattern;
  std::vector<std::string> patterns;

  bool holds(const Event& event) const;
};

// source "" is every source with a name of its own. All conditions must hold.
struct SourceInterest {
  std::string source;
  std::vector<Condition> conditions;

  bool concerns(const Event& event) const;
};

// Whether modules declare the source by that very name: "git", "log", ...
bool is_named_source(std::string_view source);

}  // namespace prefrontal::pulse
