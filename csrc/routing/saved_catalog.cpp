#include <algorithm>

#include "csrc/routing/levenshtein.hpp"
#include "csrc/routing/saved_parts.hpp"

namespace prefrontal::routing {
namespace {

enum class Part : std::uint64_t {
  key_letters = 1,
  key_starts,
  key_slots,
  word_letters,
  word_starts,
  word_slots,
  name_starts,
  name_tools,
  text_starts,
  text_tools,
  counts,
  idf,
  text_scale,
  name_weight,
  by_length,
  signatures,
  ends,
  lengths,
};

constexpr Section section(Part part) { return static_cast<Section>(part); }

void expect(bool holds) {
  if (!holds) throw UnreadableIndex("its parts do not fit together");
}

// `starts` begins n + 1 rows of `total` values.
void check_starts(std::span<const std::uint32_t> starts, std::size_t n, std::size_t total) {
  expect(starts.size() == n + 1 && starts.front() == 0 && starts.back() == total);
  expect(std::ranges::is_sorted(starts));
}

void check_below(std::span<const std::uint32_t> numbers, std::size_t limit) {
  std::uint32_t most = 0;
  for (const std::uint32_t number : numbers) most = std::max(most, number);
  expect(numbers.empty() || most < limit);
}

void check(const Vocabulary& texts) {
  expect(!texts.starts.empty());
  check_starts(texts.starts.span(), texts.size(), texts.letters.size());
  expect(texts.slots.size() > texts.size() && (texts.slots.size() & (texts.slots.size() - 1)) == 0);
  std::size_t free = 0;
  for (const std::uint32_t slot : texts.slots) {
    expect(slot == kNone || slot < texts.size());
    free += slot == kNone ? 1 : 0;
  }
  expect(free > 0);
}

void check(const Lists& lists, std::size_t rows, std::size_t limit) {
  check_starts(lists.starts.span(), rows, lists.numbers.size());
  check_below(lists.numbers.span(), limit);
}

void check(const Catalog& catalog) {
  check(catalog.keys);
  check(catalog.words);
  const std::size_t words = catalog.words.size();
  check(catalog.in_names, words, catalog.tools());
  check(catalog.in_texts, words, catalog.tools());
  expect(catalog.counts.size() == catalog.in_texts.numbers.size());
  expect(catalog.idf.size() == words && catalog.text_scale.size() == catalog.tools() &&
         catalog.name_weight.size() == catalog.tools());
  check_below(catalog.by_length.span(), words);
  check_starts(catalog.lengths.span(), kLongestPattern + 1, catalog.by_length.size());
  expect(catalog.signatures.size() == catalog.by_length.size());
  expect(catalog.ends.size() == catalog.by_length.size());
}

}  // namespace

void write(const Catalog& catalog, IndexWriter& writer) {
  writer.add(section(Part::key_letters), catalog.keys.letters);
  writer.add(section(Part::key_starts), catalog.keys.starts);
  writer.add(section(Part::key_slots), catalog.keys.slots);
  writer.add(section(Part::word_letters), catalog.words.letters);
  writer.add(section(Part::word_starts), catalog.words.starts);
  writer.add(section(Part::word_slots), catalog.words.slots);
  writer.add(section(Part::name_starts), catalog.in_names.starts);
  writer.add(section(Part::name_tools), catalog.in_names.numbers);
  writer.add(section(Part::text_starts), catalog.in_texts.starts);
  writer.add(section(Part::text_tools), catalog.in_texts.numbers);
  writer.add(section(Part::counts), catalog.counts);
  writer.add(section(Part::idf), catalog.idf);
  writer.add(section(Part::text_scale), catalog.text_scale);
  writer.add(section(Part::name_weight), catalog.name_weight);
  writer.add(section(Part::by_length), catalog.by_length);
  writer.add(section(Part::signatures), catalog.signatures);
  writer.add(section(Part::ends), catalog.ends);
  writer.add(section(Part::lengths), catalog.lengths);
}

Catalog read_catalog(const MappedIndex& file) {
  const auto numbers = [&](Part part) { return file.section<std::uint32_t>(section(part)); };
  const auto reals = [&](Part part) { return file.section<double>(section(part)); };
  Catalog catalog;
  catalog.keys.letters = file.section<char>(section(Part::key_letters));
  catalog.keys.starts = numbers(Part::key_starts);
  catalog.keys.slots = numbers(Part::key_slots);
  catalog.words.letters = file.section<char>(section(Part::word_letters));
  catalog.words.starts = numbers(Part::word_starts);
  catalog.words.slots = numbers(Part::word_slots);
  catalog.in_names = {numbers(Part::name_starts), numbers(Part::name_tools)};
  catalog.in_texts = {numbers(Part::text_starts), numbers(Part::text_tools)};
  catalog.counts = file.section<std::uint8_t>(section(Part::counts));
  catalog.idf = reals(Part::idf);
  catalog.text_scale = reals(Part::text_scale);
  catalog.name_weight = reals(Part::name_weight);
  catalog.by_length = numbers(Part::by_length);
  catalog.signatures = numbers(Part::signatures);
  catalog.ends = numbers(Part::ends);
  catalog.lengths = numbers(Part::lengths);
  check(catalog);
  return catalog;
}

}  // namespace prefrontal::routing
