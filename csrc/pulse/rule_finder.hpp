// Finds the best one-line rule in labelled windows, and in those alone.
#pragma once

#include <string>
#include <vector>

#include "csrc/pulse/rule.hpp"

namespace prefrontal::pulse {

struct FoundRule {
  Rule rule;
  std::size_t windows = 0;
  std::size_t relevant = 0;
  std::size_t matched = 0;
  std::size_t caught = 0;  // matched and relevant
  bool beats_chance = false;
};

class RuleFinder {
 public:
  // Keeps what rules can speak of; the events' memory may go afterwards.
  void add(const Window& window, bool relevant);

  std::size_t windows() const { return kept_.size(); }

  // The rule that tells most about relevance: mutual information as a share of the label's
  // entropy, less a price for each word after the first and for what chance alone would tell.
  // A rule beats chance when its likelihood ratio excludes that it tells nothing: on all windows
  // at 5 % for as many rules as were tried (Bonferroni), on the newer half of them at 1 %. Without
  // such a rule: "**", which matches every window with a file.
  FoundRule find() const;

 private:
  struct Kept {
    std::vector<std::string> locations;
    std::string actor;
    std::string text;
    bool relevant = false;
    Window view() const;
  };
  std::vector<Kept> kept_;
};

}  // namespace prefrontal::pulse
