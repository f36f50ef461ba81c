// What words mean beyond their letters, of 8,000 English stems: scripts/build_lexicon.py says from
// which texts.
//
//   weight   = 1 - 0.5 (1 - ln(1 / share) / ln(1e5)), share: of the texts that hold the stem; 1
//              for any other stem
//   likeness = 0.8 (cosine - 0.4) / 0.6 for the 16 stems that stand near the most alike words
#pragma once

#include <string_view>
#include <vector>

namespace prefrontal::routing {

// What the idf of a word is multiplied by, from .5 to 1: common words tell less of a tool.
double lexical_weight(std::string_view stem);

struct NearStem {
  std::string_view stem;
  double likeness;
};

// The likest first; empty for a stem that is not known.
std::vector<NearStem> near_stems(std::string_view stem);

}  // namespace prefrontal::routing
