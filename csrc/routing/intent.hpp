// What somebody asks for, as words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prefrontal::routing {

constexpr std::size_t kMostTokens = 256;  // different stems of an intent; what follows is left out

struct Intent {
  struct Token {
    std::string stem;
    std::uint32_t times = 1;
    bool content = true;  // no stop word, or the intent has only those
  };
  struct Word {
    std::string typed;
    std::uint32_t token;
  };
  std::vector<Token> tokens;  // each once, in the order of the text
  std::vector<Word> words;    // each once, in the order of the text

  explicit Intent(std::string_view text);
};

}  // namespace prefrontal::routing
