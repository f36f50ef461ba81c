#include "csrc/routing/intent.hpp"

#include <algorithm>

#include "csrc/routing/stem.hpp"
#include "csrc/routing/stop_words.hpp"
#include "csrc/routing/vocabulary.hpp"
#include "csrc/routing/words.hpp"

namespace prefrontal::routing {

Intent::Intent(std::string_view text) {
  GrowingVocabulary seen_words(64);
  GrowingVocabulary seen_stems(64);
  WordReader reader(text);
  for (std::string_view lower = reader.next(); !lower.empty(); lower = reader.next()) {
    const bool new_word = seen_words.add(lower) == words.size();
    std::string word(lower);
    stem(word);
    if (tokens.size() == kMostTokens && seen_stems.find(word) == kNone) break;
    const std::uint32_t token = seen_stems.add(word);
    if (token < tokens.size()) {
      ++tokens[token].times;
    } else {
      const bool content = !is_stop_word(word);
      tokens.push_back({std::move(word), 1, content});
    }
    if (new_word) words.push_back({std::string(reader.typed()), token});
  }
  const auto content = [](const Token& token) { return token.content; };
  if (std::ranges::any_of(tokens, content)) return;
  for (Token& token : tokens) token.content = true;
}

}  // namespace prefrontal::routing
