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
};

class RuleFinder {
 public:
  // Keeps what rules can speak of; the events' memory may go afterwards.
  void add(const Window& window, bool relevant);

  std::size_t windows() const { return kept_.size(); }

  // The rule that tells most about relevance: mutual information as a share of the label's
  // entropy, less a price for each word after the first and for what chance alone would tell.
  // Without windows, or with windows of one kind only, or when no rule tells more than chance:
  // "**", which matches every window with a file.
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
