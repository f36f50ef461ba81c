#include "csrc/pulse/rule.hpp"

#include "csrc/pulse/sparse_features.hpp"
#include "csrc/pulse/words.hpp"

namespace prefrontal::pulse {
namespace {

std::string_view file_name(std::string_view location) {
  const std::size_t slash = location.rfind('/');
  return slash == std::string_view::npos ? location : location.substr(slash + 1);
}

bool has_extension(std::string_view name, const std::string& extension) {
  if (!extension.empty()) {
    if (name.size() <= extension.size()) return false;
    const std::string_view end = name.substr(name.size() - extension.size());
    for (std::size_t i = 0; i < end.size(); ++i) {
      const char c = end[i] >= 'A' && end[i] <= 'Z' ? static_cast<char>(end[i] + 32) : end[i];
      if (c != extension[i]) return false;
    }
    return true;
  }
  return lower_extension(name).empty();
}

bool has_word(std::string_view text, const std::string& word) {
  bool found = false;
  for_each_word(text, true, [&](std::uint64_t, std::string_view w) { found = found || w == word; });
  return found;
}

}  // namespace

bool in_folder(std::string_view location, std::string_view name) {
  std::size_t from = 0;
  for (std::size_t slash = location.find('/'); slash != std::string_view::npos;
       slash = location.find('/', from)) {
    if (location.substr(from, slash - from) == name) return true;
    from = slash + 1;
  }
  return false;
}

bool Term::matches(const Window& window) const {
  for (const Event& event : window) {
    if (about == About::actor && event.actor == place) return true;
    if (about == About::word && !event.text.empty() && has_word(event.text, place)) return true;
    if (about != About::path) continue;
    const std::string_view location = event.location;
    const bool there = scope == Scope::anywhere ||
                       (scope == Scope::under && location.size() > place.size() &&
                        location.starts_with(place) && location[place.size()] == '/') ||
                       (scope == Scope::inside && in_folder(location, place)) ||
                       (scope == Scope::named && file_name(location) == place);
    if (!there || (extension && !has_extension(file_name(location), *extension))) continue;
    if (outside.empty() || !in_folder(location, outside)) return true;
  }
  return false;
}

std::string Term::text() const {
  if (about == About::actor) return "actor is \"" + place + "\"";
  if (about == About::word && place == "#") return "text has a number";
  if (about == About::word) return "text has \"" + place + "\"";
  std::string glob;
  if (scope == Scope::under) glob = place + "/";
  if (scope == Scope::inside) glob = "**/" + place + "/";
  glob += "**";
  if (scope == Scope::named) glob += "/" + place;
  if (extension) glob += extension->empty() ? "/* without extension" : "/*" + *extension;
  return outside.empty() ? glob : glob + " outside **/" + outside + "/**";
}

bool Rule::matches(const Window& window) const {
  const bool one = first.matches(window);
  switch (join) {
    case Join::one:
      return one;
    case Join::either:
      return one || second.matches(window);
    case Join::both:
      return one && second.matches(window);
    case Join::but_not:
      return one && !second.matches(window);
  }
  return one;
}

std::string Rule::text() const {
  static constexpr const char* kJoins[] = {"", " or ", " and ", " but not "};
  if (join == Join::one) return first.text();
  return first.text() + kJoins[static_cast<int>(join)] + second.text();
}

}  // namespace prefrontal::pulse
