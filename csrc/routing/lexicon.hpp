// What words mean beyond their letters, of 8,000 English stems: scripts/build_lexicon.py says from
// which texts, and how the file lies.
//
//   weight   = 1 - 0.5 (1 - ln(1 / share) / ln(1e5)), share: of the texts that hold the stem; 1
//              for any other stem
//   likeness = 0.8 (cosine - 0.4) / 0.6 for the 16 stems that stand near the most alike words
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "csrc/routing/stem_table.hpp"

namespace prefrontal::routing {

struct NearStem {
  std::string_view stem;
  double likeness;
};

class Lexicon {
 public:
  // `file` must stay. Throws std::invalid_argument unless all of it is as it was built.
  explicit Lexicon(std::span<const std::uint8_t> file);

  std::uint32_t size() const { return stems_.size(); }
  std::string_view stem(std::uint32_t at) const { return stems_.stem(at); }
  std::uint32_t find(std::string_view stem) const { return stems_.find(stem); }
  double weight(std::uint32_t at) const;
  std::vector<NearStem> near_stems(std::uint32_t at) const;  // the likest first

 private:
  std::uint16_t related(std::size_t place) const;

  StemTable stems_;
  const std::uint8_t* weights_ = nullptr;
  const std::uint8_t* related_ = nullptr;
  const std::uint8_t* likeness_ = nullptr;
};

// Of the lexicon in this module. What the idf of a word is multiplied by, from .5 to 1: common
// words tell less of a tool.
double lexical_weight(std::string_view stem);

// Of the same, the likest first; empty for a stem that is not known.
std::vector<NearStem> near_stems(std::string_view stem);

}  // namespace prefrontal::routing
