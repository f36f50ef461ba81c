// Which words of a catalog a word of a prompt may mean, and how surely (0..1).
//
//   1 for the same stem; (0.7 p) / longer for words with the first p >= 4 bytes in common, when
//   that is at least half of the longer; for words of names also 1 - edits / longer from 3/4 up,
//   of words without such a prefix only where no tool has the prompt's word ("file" is no "filt");
//   for such a word also 1 - 1 / length for any word that is it with two neighbouring letters the
//   other way round; in texts these count where English has no such word ("artcle"), but "causal"
//   is no "casual" there;
//   where relatives count, for a word that no tool has the likeness of lexicon.hpp to words of
//   texts that no word of the prompt is like: the likest of each first, up to kMostRelated entries
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/intent.hpp"

namespace prefrontal::routing {

// A word of the catalog with the sum of its likenesses to the prompt's content words.
struct Match {
  std::uint32_t word;
  double in_text;
  double in_name;        // without relatives at least in_text; in_text where no name has the word
  std::uint64_t tokens;  // bit i: like content token i by its letters; only the first 64 are told
};

constexpr std::size_t kMostRelated = 32768;

struct Relative {
  std::uint32_t word;
  double likeness;
};

// Words of the catalog near a stem that no tool has, the likest first; none for one that some have.
std::vector<Relative> relatives(const Catalog& catalog, std::string_view stem);

struct SoftMatches {
  std::vector<Match> words;   // ascending
  std::vector<double> slips;  // by content token: how surely it is a slip of a known word
};

SoftMatches soft_matches(const Catalog& catalog, const Intent& intent, bool with_relatives);

}  // namespace prefrontal::routing
