#include "csrc/pulse/source_interest.hpp"

#include <algorithm>

#include "csrc/pulse/pattern.hpp"
#include "csrc/pulse/sparse_features.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::string_view kNamed[] = {"filesystem", "memory", "time",   "network", "git",
                                       "log",        "mcp",    "github", "mail"};

std::string_view said(const Event& event, std::string_view field) {
  if (field == "location") return event.location;
  if (field == "delta_type") return event.delta_type;
  if (field == "text") return event.text;
  for (const Attribute& place : event.places)
    if (place.name == field) return place.text;
  return {};
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
    if (how == How::path) return matches_any(*this, plain_path(value));
    if (how == How::any_case) return matches_any(*this, lower_case(value));
    return matches_any(*this, value);
  });
}

bool SourceInterest::concerns(const Event& event) const {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& each) { return each.holds(event); });
}

}  // namespace prefrontal::pulse
