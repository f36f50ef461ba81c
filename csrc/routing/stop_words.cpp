#include "csrc/routing/stop_words.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "csrc/routing/stem.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::string_view kWords =
    "a about am an and any are as at be by can could did do does for from get give had has "
    "have he hello help her hi his how i id if im in into is it its ive just know let like "
    "may me might my need no not of on or our out please she should show so some tell that "
    "the them there these they this those to up want was we what whats when where which who "
    "why will with would you your";

std::vector<std::string> sorted_stems() {
  std::vector<std::string> stems = tokens(kWords);
  std::ranges::sort(stems);
  return stems;
}

}  // namespace

bool is_stop_word(std::string_view stem) {
  static const std::vector<std::string> stems = sorted_stems();
  return std::binary_search(stems.begin(), stems.end(), stem);
}

}  // namespace prefrontal::routing
