// Which words of a catalog a word of a prompt may mean, and how surely (0..1).
//
//   1 for the same stem; (0.7 p) / longer for words with the first p >= 4 bytes in common, when
//   that is at least half of the longer; for words of names also 1 - edits / longer from 3/4 up
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/intent.hpp"

namespace prefrontal::routing {

// A word of the catalog with the sum of its likenesses to the prompt's content words.
struct Match {
  std::uint32_t word;
  double in_text;
  double in_name;        // at least in_text; in_text where no name has the word
  std::uint64_t tokens;  // bit i: like content token i; only the first 64 are told
};

// In the order of the words.
std::vector<Match> soft_matches(const Catalog& catalog, const Intent& intent);

}  // namespace prefrontal::routing
