#include "csrc/routing/levenshtein.hpp"

namespace prefrontal::routing {

EditPattern::EditPattern(std::string_view word) : size_(static_cast<std::uint32_t>(word.size())) {
  for (std::size_t i = 0; i < word.size(); ++i)
    rows_[static_cast<unsigned char>(word[i])] |= std::uint64_t{1} << i;
}

std::uint32_t EditPattern::distance(std::string_view other) const {
  if (size_ == 0) return static_cast<std::uint32_t>(other.size());
  const std::uint64_t last = std::uint64_t{1} << (size_ - 1);
  std::uint64_t more = ~std::uint64_t{0};  // rows where the table grows by one downwards
  std::uint64_t less = 0;                  // rows where it shrinks by one
  std::uint32_t edits = size_;
  for (const char letter : other) {
    const std::uint64_t equal = rows_[static_cast<unsigned char>(letter)];
    const std::uint64_t vertical = equal | less;
    const std::uint64_t across = (((equal & more) + more) ^ more) | equal;
    std::uint64_t grows = less | ~(across | more);
    std::uint64_t shrinks = more & across;
    edits += (grows & last) != 0 ? 1 : 0;
    edits -= (shrinks & last) != 0 ? 1 : 0;
    grows = grows << 1U | 1U;
    shrinks <<= 1U;
    more = shrinks | ~(vertical | grows);
    less = grows & vertical;
  }
  return edits;
}

std::uint32_t letter_signature(std::string_view word) {
  std::uint32_t bits = 0;
  for (const char letter : word) {
    const bool plain = letter >= 'a' && letter <= 'z';
    const bool digit = letter >= '0' && letter <= '9';
    bits |= 1U << (plain ? letter - 'a' : digit ? 26 : 27);
  }
  return bits;
}

std::uint32_t word_ends(std::string_view word) {
  const std::size_t n = word.size();
  std::uint32_t ends = 0;
  for (std::size_t i = 0; i < 2 && i < n; ++i) {
    ends |= static_cast<std::uint32_t>(static_cast<unsigned char>(word[i])) << 8 * i;
    ends |= static_cast<std::uint32_t>(static_cast<unsigned char>(word[n - 1 - i])) << (16 + 8 * i);
  }
  return ends;
}

}  // namespace prefrontal::routing
