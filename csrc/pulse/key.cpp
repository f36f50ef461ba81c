#include "csrc/pulse/key.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace prefrontal::pulse {

namespace {

constexpr std::string_view kNames[] = {
    "bias",       "source",         "delta",          "extension",   "directory",
    "name",       "token",          "actor",          "word",        "words",
    "count",      "only extension", "only directory", "directories", "extensions",
    "file kinds", "hour",           "weekday",        "span",        "gap",
    "size",       "idle minutes",   "magnitude",      "feature",     "rule"};
static_assert(std::size(kNames) == kKinds);

}  // namespace

std::string_view kind_name(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Kind kind_of(std::string_view name) {
  const auto at = std::find(std::begin(kNames), std::end(kNames), name);
  if (at == std::end(kNames))
    throw std::invalid_argument("feature kind must be a known one, got '" + std::string(name) +
                                "'");
  return static_cast<Kind>(at - std::begin(kNames));
}

}  // namespace prefrontal::pulse
