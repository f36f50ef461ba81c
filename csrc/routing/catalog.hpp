// What an index knows of the tools' own words: which tools hold a word, in name and in text.
//
// Tools are numbered by name and words by spelling, both in the order of their bytes, so the same
// tools give the same catalog in whatever order they came.
#pragma once

#include <cstdint>
#include <span>

#include "csrc/routing/column.hpp"
#include "csrc/routing/vocabulary.hpp"
#include "csrc/routing/word_vectors.hpp"

namespace prefrontal::routing {

// Numbers by row: those of row i stand at starts[i] .. starts[i + 1].
struct Lists {
  Column<std::uint32_t> starts;
  Column<std::uint32_t> numbers;

  std::span<const std::uint32_t> of(std::uint32_t row) const {
    return numbers.part(starts[row], starts[row + 1]);
  }
  std::uint32_t size(std::uint32_t row) const { return starts[row + 1] - starts[row]; }
};

// idf(t) = (ln((1 + tools) / (1 + tools that hold t)) + 1) * lexical_weight(t), lexicon.hpp
struct Catalog {
  Vocabulary keys;                     // of the tools, sorted
  Vocabulary words;                    // stems, sorted
  Lists in_names;                      // word -> tools that have it in their name, ascending
  Lists in_texts;                      // word -> tools that have it in name or doc, ascending
  Column<std::uint8_t> counts;         // how often, beside in_texts.numbers; at most 255
  Column<std::uint64_t> name_hashes;   // of all tools (exact_names.hpp), ascending
  Column<std::uint32_t> hashed_tools;  // beside
  // What follows from these.
  Column<double> idf;                // by word
  Column<double> text_scale;         // by tool: 1 / sqrt(sum of (count idf)^2), 0 for no word
  Column<std::uint8_t> impacts;      // beside in_texts.numbers: count idf text_scale, of 255, up
  Column<double> name_weight;        // by tool: sum of the idf of its name's words
  Column<std::uint32_t> by_length;   // words of names, short ones first
  Column<std::uint32_t> signatures;  // beside by_length, as are
  Column<std::uint32_t> ends;        // their first and last two letters
  Column<std::uint32_t> lengths;     // where words of 0, 1, ... 64 bytes start in by_length
  Column<std::uint64_t> landmarks;   // the first eight bytes of every kStride-th word, as a number
  Lists by_segment;                  // near_words.hpp: hash of a part -> places in by_length
  Column<std::int8_t> meanings;      // by tool, kMeaning each: of name and doc (word_vectors.hpp)

  std::uint32_t tools() const { return keys.size(); }
  // Of a word that one tool holds and no lexicon.
  double highest_idf() const;
  // Fills in what follows from the rest.
  void derive();
  void derive_landmarks();
  // The first word that is not before `text` in the order of the bytes.
  std::uint32_t first_not_below(std::string_view text) const;
  void derive_impacts();
  void derive_meanings();
  std::span<const std::int8_t, kMeaning> meaning(std::uint32_t tool) const {
    return meanings.span().subspan(kMeaning * std::size_t{tool}).first<kMeaning>();
  }
};

}  // namespace prefrontal::routing
