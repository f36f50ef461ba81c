// Words of a name or a sentence: split at punctuation and at camel case, lower case, hashed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "csrc/pulse/key.hpp"

namespace prefrontal::pulse {

// Calls visit(hash state, word) for each word, in order. Bytes from 0x80 up count as letters, so
// UTF-8 words stay whole. With `mask_numbers` a word of digits only is the word "#".
template <class Visit>
void for_each_word(std::string_view text, bool mask_numbers, Visit&& visit) {
  auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  auto letter = [&](char c) {
    return upper(c) || lower(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  constexpr std::size_t kLongest = 64;  // bytes of a word that count
  char word[kLongest];
  std::size_t i = 0;
  while (i < text.size()) {
    if (!letter(text[i]) && !digit(text[i])) {
      ++i;
      continue;
    }
    std::uint64_t state = kHashStart;
    std::size_t size = 0;
    bool numbers = true;
    do {
      const char c = upper(text[i]) ? static_cast<char>(text[i] + ('a' - 'A')) : text[i];
      numbers = numbers && digit(c);
      if (size < kLongest) {
        word[size++] = c;
        state = hash_byte(state, c);
      }
      ++i;
    } while (i < text.size() && (letter(text[i]) || digit(text[i])) &&
             !(upper(text[i]) && (lower(text[i - 1]) || digit(text[i - 1]))));
    if (numbers && mask_numbers) {
      visit(hash_byte(kHashStart, '#'), std::string_view("#"));
    } else {
      visit(state, std::string_view(word, size));
    }
  }
}

}  // namespace prefrontal::pulse
