#include "csrc/pulse/source_interest.hpp"

#include <algorithm>

#include "csrc/pulse/pattern.hpp"
#include "csrc/pulse/sparse_features.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::string_view kNamed[] = {"filesystem", "memory", "time",   "network", "git",
                                       "log",        "mcp",    "github", "mail",    "calendar"};

std::string_view said(const Event& event, std::string_view field) {
  if (field == "location") return event.location;
  if (field == "delta_type") return event.delta_type;
  if (field == "text") return event.text;
  for (const Attribute& place : event.places)
    if (place.name == field) return place.text;
  return {};
}

// Whether the path is surely in its plain form; most are, and this costs no memory.
bool is_plain(std::string_view path) {
  return !path.starts_with('.') && path.find("//") == std::string_view::npos &&
         path.find("/.") == std::string_view::npos;
}

bool matches_any(const Condition& condition, std::string_view value) {
  return std::any_of(condition.patterns.begin(), condition.patterns.end(),
                     [&](const std::string& pattern) {
                       return condition.how == Condition::How::contains
                                  ? value.find(pattern) != std::string_view::npos
                                  : matches_pattern(pattern, value);
                     });
}

}  // namespace

bool is_named_source(std::string_view source) {
  return std::find(std::begin(kNamed), std::end(kNamed), source) != std::end(kNamed);
}

bool Condition::holds(const Event& event) const {
  return std::any_of(fields.begin(), fields.end(), [&](const std::string& field) {
    const std::string_view value = said(event, field);
    if (value.empty()) return false;
    if (how == How::path && !is_plain(value)) return matches_any(*this, plain_path(value));
    if (how == How::any_case) return matches_any(*this, lower_case(value));
    return matches_any(*this, value);
  });
}

bool SourceInterest::concerns(const Event& event) const {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& each) { return each.holds(event); });
}

}  // namespace prefrontal::pulse
