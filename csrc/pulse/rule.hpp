// A rule a person can read, over the whole window: "src/**/*.py outside **/tests/**", or two such
// terms joined by or, and, but not.
#pragma once

#include <optional>
#include <string>

#include "csrc/pulse/event.hpp"

namespace prefrontal::pulse {

struct Term {
  enum class About { path, actor, word };
  enum class Scope { anywhere, under, inside, named };  // any, a prefix, a folder's name, a file's

  About about = About::path;
  Scope scope = Scope::anywhere;
  std::string place;                     // folder prefix, folder name, file name, actor or word
  std::optional<std::string> extension;  // lower case with its dot; "" is no extension
  std::string outside;                   // name of a folder the file must not be in; "" for none

  bool matches(const Window& window) const;
  std::string text() const;
  auto operator<=>(const Term&) const = default;
};

struct Rule {
  enum class Join { one, either, both, but_not };

  Term first;
  Join join = Join::one;
  Term second;                  // meaningful unless join is one
  double log_odds_match = 0.0;  // of relevance, on the windows it was found on
  double log_odds_rest = 0.0;

  bool matches(const Window& window) const;
  std::string text() const;
};

// True when one of the location's folders (not the file itself) is called `name`.
bool in_folder(std::string_view location, std::string_view name);

}  // namespace prefrontal::pulse
