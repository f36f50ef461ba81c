#include "csrc/routing/catalog_draft.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "csrc/routing/exact_names.hpp"
#include "csrc/routing/stem.hpp"
#include "csrc/routing/stop_words.hpp"
#include "csrc/routing/words.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::uint32_t kMostCounted = 255;

// Numbers of the texts, in the order of their bytes.
std::vector<std::uint32_t> sorted(const GrowingVocabulary& texts) {
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t id) { return texts.text(id); });
  return order;
}

Vocabulary in_order(const GrowingVocabulary& texts, const std::vector<std::uint32_t>& order) {
  GrowingVocabulary out;
  for (const std::uint32_t id : order) out.add(texts.text(id));
  return Vocabulary(std::move(out));
}

// Sizes of rows made into where they start; one more than there are rows.
std::vector<std::uint32_t> starts_from(std::vector<std::uint32_t> sizes) {
  sizes.push_back(0);
  std::exclusive_scan(sizes.begin(), sizes.end(), sizes.begin(), 0U);
  return sizes;
}

}  // namespace

CatalogDraft::Word CatalogDraft::word_of(std::string_view typed) {
  const std::uint32_t id = typed_.add(typed);
  if (id < words_.size()) return words_[id];
  std::string word(typed);
  stem(word);
  words_.push_back({stems_.add(word), is_stop_word(word)});
  return words_.back();
}

void CatalogDraft::count(std::uint32_t word, std::uint32_t times) {
  if (word >= last_seen_.size()) last_seen_.resize(word + 1, 0);
  const std::uint32_t seen = last_seen_[word];
  const bool again = seen >= texts_.starts.back() && seen < texts_.values.size() &&
                     texts_.values[seen].word == word;
  if (again) {
    texts_.values[seen].times += times;
    return;
  }
  last_seen_[word] = static_cast<std::uint32_t>(texts_.values.size());
  texts_.values.push_back({word, times});
}

void CatalogDraft::count_words(std::string_view text, bool with_stop_words) {
  WordReader words(text);
  for (std::string_view typed = words.next(); !typed.empty(); typed = words.next()) {
    const Word word = word_of(typed);
    if (!word.stop || with_stop_words) count(word.stem, 1);
  }
}

void CatalogDraft::close_tool(std::string_view key, std::uint64_t hash) {
  keys_.add(key);
  name_hashes_.push_back(hash);
  name_words_.close();
  texts_.close();
}

void CatalogDraft::add(const ToolText& tool) {
  const std::size_t before = texts_.values.size();
  count_words(tool.name, false);
  if (texts_.values.size() == before) count_words(tool.name, true);
  for (std::size_t i = before; i < texts_.values.size(); ++i)
    name_words_.values.push_back(texts_.values[i].word);
  count_words(tool.doc, false);
  close_tool(tool.key, name_hash(tool.name));
}

void CatalogDraft::add(const Catalog& catalog, const GrowingVocabulary& without) {
  std::vector<std::uint32_t> stems;
  for (std::uint32_t word = 0; word < catalog.words.size(); ++word)
    stems.push_back(stems_.add(catalog.words.text(word)));
  std::vector<std::uint64_t> hashes(catalog.tools());
  for (std::size_t at = 0; at < catalog.name_hashes.size(); ++at)
    hashes[catalog.hashed_tools[at]] = catalog.name_hashes[at];
  std::vector<std::vector<Count>> texts(catalog.tools());
  std::vector<std::vector<std::uint32_t>> names(catalog.tools());
  for (std::uint32_t word = 0; word < catalog.words.size(); ++word) {
    for (const std::uint32_t tool : catalog.in_names.of(word)) names[tool].push_back(stems[word]);
    for (std::uint32_t at = catalog.in_texts.starts[word]; at < catalog.in_texts.starts[word + 1];
         ++at)
      texts[catalog.in_texts.numbers[at]].push_back({stems[word], catalog.counts[at]});
  }
  for (std::uint32_t tool = 0; tool < catalog.tools(); ++tool) {
    if (without.find(catalog.keys.text(tool)) != kNone) continue;
    name_words_.values.insert(name_words_.values.end(), names[tool].begin(), names[tool].end());
    for (const Count& entry : texts[tool]) count(entry.word, entry.times);
    close_tool(catalog.keys.text(tool), hashes[tool]);
  }
}

Catalog CatalogDraft::finish() const {
  const std::vector<std::uint32_t> tools = sorted(keys_);
  std::vector<std::uint32_t> words = sorted(stems_);
  std::vector<std::uint32_t> in_names(stems_.size());
  std::vector<std::uint32_t> in_texts(stems_.size());
  for (const std::uint32_t word : name_words_.values) ++in_names[word];
  for (const Count& entry : texts_.values) ++in_texts[entry.word];
  std::erase_if(words, [&](std::uint32_t word) { return in_texts[word] == 0; });
  std::vector<std::uint32_t> rank(stems_.size());
  std::vector<std::uint32_t> name_sizes;
  std::vector<std::uint32_t> text_sizes;
  for (const std::uint32_t word : words) {
    rank[word] = static_cast<std::uint32_t>(name_sizes.size());
    name_sizes.push_back(in_names[word]);
    text_sizes.push_back(in_texts[word]);
  }
  std::vector<std::uint32_t> name_starts = starts_from(std::move(name_sizes));
  std::vector<std::uint32_t> text_starts = starts_from(std::move(text_sizes));
  std::vector<std::uint32_t> name_tools(name_starts.back());
  std::vector<std::uint32_t> text_tools(text_starts.back());
  std::vector<std::uint8_t> counts(text_starts.back());
  std::vector<std::uint32_t> name_next = name_starts;
  std::vector<std::uint32_t> text_next = text_starts;
  for (std::uint32_t tool = 0; tool < tools.size(); ++tool) {
    for (const std::uint32_t word : name_words_.of(tools[tool]))
      name_tools[name_next[rank[word]]++] = tool;
    for (const Count& entry : texts_.of(tools[tool])) {
      const std::uint32_t at = text_next[rank[entry.word]]++;
      text_tools[at] = tool;
      counts[at] = static_cast<std::uint8_t>(std::min(entry.times, kMostCounted));
    }
  }
  Catalog catalog;
  catalog.keys = in_order(keys_, tools);
  catalog.words = in_order(stems_, words);
  catalog.in_names = {std::move(name_starts), std::move(name_tools)};
  catalog.in_texts = {std::move(text_starts), std::move(text_tools)};
  catalog.counts = std::move(counts);
  std::vector<std::uint64_t> hashes;
  for (const std::uint32_t tool : tools) hashes.push_back(name_hashes_[tool]);
  set_names(catalog, hashes);
  catalog.derive();
  return catalog;
}

}  // namespace prefrontal::routing
