// Edits (insert, delete, replace a byte) from one word to another, bit-parallel.
//
// Myers, "A fast bit-vector algorithm for approximate string matching", JACM 1999, in the form
// for a distance by Hyyrö (2003): 64 rows of the table of edits a step.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prefrontal::routing {

constexpr std::size_t kLongestPattern = 64;  // bytes

// One word, prepared to be compared with many.
class EditPattern {
 public:
  // `word` has at most kLongestPattern bytes.
  explicit EditPattern(std::string_view word);

  std::uint32_t distance(std::string_view other) const;

 private:
  std::array<std::uint64_t, 256> rows_{};  // by byte: where it stands in the word
  std::uint32_t size_ = 0;
};

// One bit for each letter and two for all else: words `n` edits apart differ in at most 2n bits.
std::uint32_t letter_signature(std::string_view word);

// The first two and the last two letters: words of four letters and more that are one edit apart
// share the ones or the others.
std::uint32_t word_ends(std::string_view word);

// The most edits between words whose likeness 1 - edits / longer is at least 3/4.
constexpr std::uint32_t most_edits(std::size_t longer) {
  return static_cast<std::uint32_t>(longer / 4);
}

}  // namespace prefrontal::routing
