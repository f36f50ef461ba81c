// Tools on their way into a catalog.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/vocabulary.hpp"

namespace prefrontal::routing {

// A tool as it is handed in; the texts are UTF-8 and belong to the caller.
struct ToolText {
  std::string_view key;
  std::string_view name;
  std::string_view doc;
};

class CatalogDraft {
 public:
  // Each key comes once. Stop words are left out, but from a name that has no other word.
  void add(const ToolText& tool);
  // All tools of `catalog` but those whose key is in `without`.
  void add(const Catalog& catalog, const GrowingVocabulary& without);

  Catalog finish() const;

 private:
  struct Count {
    std::uint32_t word;
    std::uint32_t times;
  };
  // Rows of one tool after the other.
  template <class T>
  struct Rows {
    std::vector<T> values;
    std::vector<std::uint32_t> starts{0};

    void close() { starts.push_back(static_cast<std::uint32_t>(values.size())); }
    std::span<const T> of(std::uint32_t row) const {
      return std::span(values).subspan(starts[row], starts[row + 1] - starts[row]);
    }
  };

  struct Word {
    std::uint32_t stem;
    bool stop;
  };
  Word word_of(std::string_view typed);
  void count(std::uint32_t word, std::uint32_t times);
  void count_words(std::string_view text, bool with_stop_words);
  void close_tool(std::string_view key, std::uint64_t hash);

  GrowingVocabulary keys_;
  std::vector<std::uint64_t> name_hashes_;  // by tool
  GrowingVocabulary typed_;
  std::vector<Word> words_;  // by typed word
  GrowingVocabulary stems_;
  std::vector<std::uint32_t> last_seen_;  // by stem: where in texts_.values
  Rows<std::uint32_t> name_words_;
  Rows<Count> texts_;
};

}  // namespace prefrontal::routing
