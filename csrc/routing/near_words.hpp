// Words of names that are few edits away from a word of a prompt.
//
// A word n edits away has one of n + 1 parts in common with it, at nearly the same place (Li, Deng,
// Wang and Feng, "Pass-Join", VLDB 2011). So the parts of the catalog's words are looked up, for up
// to three edits; words that may be further apart are long and few, and gone through.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "csrc/routing/catalog.hpp"

namespace prefrontal::routing {

struct NearWord {
  std::uint32_t word;
  std::uint32_t edits;   // at least one
  std::uint32_t longer;  // bytes of the longer of the two
};

// Those with a likeness 1 - edits / longer of at least 3/4, each once.
std::vector<NearWord> near_words(const Catalog& catalog, std::string_view stem);

// Catalog::by_segment, from the columns by length; a power of two of rows.
Lists segment_lists(const Catalog& catalog);

}  // namespace prefrontal::routing
