#include "csrc/routing/matched_words.hpp"

#include <algorithm>
#include <string_view>

#include "csrc/routing/near_words.hpp"

namespace prefrontal::routing {
namespace {

bool in_phrasings(const Phrasings& phrasings, const Nearness& nearest, std::string_view stem) {
  for (const std::uint32_t id : nearest.nearest) {
    if (id == kNone) break;
    for (const std::uint32_t word : phrasings[id].words) {
      if (phrasings.word(word) == stem) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> matched(const Intent& intent, std::uint64_t tokens,
                                 const Phrasings& phrasings, const Nearness* nearest) {
  std::vector<std::uint64_t> bits;
  std::uint32_t content = 0;
  for (const Intent::Token& token : intent.tokens) {
    bits.push_back(token.content && content < 64 ? std::uint64_t{1} << content : 0);
    content += token.content ? 1 : 0;
  }
  std::vector<std::string> out;
  for (const Intent::Word& word : intent.words) {
    const std::string& stem = intent.tokens[word.token].stem;
    const bool has = (tokens & bits[word.token]) != 0;
    if (has || (nearest != nullptr && in_phrasings(phrasings, *nearest, stem)))
      out.push_back(word.typed);
  }
  return out;
}

std::vector<Joint> joints(const Catalog& catalog, const Intent& intent) {
  std::vector<Joint> out;
  for (std::size_t word = 0; word < intent.words.size(); ++word) {
    const Intent::Token& token = intent.tokens[intent.words[word].token];
    if (!token.content) continue;
    for (const Relative& relative : relatives(catalog, token.stem))
      out.push_back({word, relative.word});
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> joined(const Catalog& catalog,
                                                        const Intent& intent, std::uint32_t tool,
                                                        std::span<const std::string> matched,
                                                        std::span<const Joint> joints) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [word, other] : joints) {
    const std::string& typed = intent.words[word].typed;
    if (!out.empty() && out.back().first == typed) continue;
    if (std::ranges::find(matched, typed) != matched.end()) continue;
    if (std::ranges::binary_search(catalog.in_texts.of(other), tool))
      out.emplace_back(typed, catalog.words.text(other));
  }
  return out;
}

}  // namespace prefrontal::routing
