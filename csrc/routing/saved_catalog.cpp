#include <algorithm>
#include <bit>

#include "csrc/routing/exact_names.hpp"
#include "csrc/routing/levenshtein.hpp"
#include "csrc/routing/near_words.hpp"
#include "csrc/routing/saved_parts.hpp"
#include "csrc/simd/saved_bytes.hpp"

namespace prefrontal::routing {
namespace {

enum class CatalogPart : std::uint64_t {
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
  name_hashes = 40,
  hashed_tools,
  impacts,
  segment_starts,
  segment_places,
  meanings,
  meanings_mark,
};

constexpr Section section(CatalogPart part) { return static_cast<Section>(part); }

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
  int letters = 0;  // nearly always ASCII, which is seen at once
  for (const char letter : texts.letters) letters |= static_cast<signed char>(letter);
  for (std::uint32_t id = 0; letters < 0 && id < texts.size(); ++id)
    expect(simd::is_text(texts.text(id)));
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
  expect(catalog.name_hashes.size() == catalog.tools() &&
         catalog.hashed_tools.size() == catalog.tools());
  expect(std::ranges::is_sorted(catalog.name_hashes.span()));
  check_below(catalog.hashed_tools.span(), catalog.tools());
}

// What only speeds a ranking up.
void check_speed(const Catalog& catalog) {
  expect(catalog.impacts.size() == catalog.counts.size());
  const std::size_t rows = catalog.by_segment.starts.size() - 1;
  expect(std::has_single_bit(rows));
  check(catalog.by_segment, rows, catalog.by_length.size());
}

// For a file of a version that did not keep names.
void name_by_key(Catalog& catalog) {
  check(catalog.keys);
  std::vector<std::uint64_t> hashes;
  for (std::uint32_t tool = 0; tool < catalog.tools(); ++tool)
    hashes.push_back(name_hash(catalog.keys.text(tool)));
  set_names(catalog, hashes);
}

// Made again where the file has none, or those of other word vectors.
void read_meanings(const MappedIndex& file, Catalog& catalog) {
  catalog.meanings = file.section<std::int8_t>(section(CatalogPart::meanings));
  const auto mark = file.section<std::uint32_t>(section(CatalogPart::meanings_mark));
  if (mark.empty() || mark.front() != word_vectors().mark()) return catalog.derive_meanings();
  expect(catalog.meanings.size() == kMeaning * std::size_t{catalog.tools()});
}

}  // namespace

void write(const Catalog& catalog, IndexWriter& writer) {
  writer.add(section(CatalogPart::key_letters), catalog.keys.letters);
  writer.add(section(CatalogPart::key_starts), catalog.keys.starts);
  writer.add(section(CatalogPart::key_slots), catalog.keys.slots);
  writer.add(section(CatalogPart::word_letters), catalog.words.letters);
  writer.add(section(CatalogPart::word_starts), catalog.words.starts);
  writer.add(section(CatalogPart::word_slots), catalog.words.slots);
  writer.add(section(CatalogPart::name_starts), catalog.in_names.starts);
  writer.add(section(CatalogPart::name_tools), catalog.in_names.numbers);
  writer.add(section(CatalogPart::text_starts), catalog.in_texts.starts);
  writer.add(section(CatalogPart::text_tools), catalog.in_texts.numbers);
  writer.add(section(CatalogPart::counts), catalog.counts);
  writer.add(section(CatalogPart::idf), catalog.idf);
  writer.add(section(CatalogPart::text_scale), catalog.text_scale);
  writer.add(section(CatalogPart::name_weight), catalog.name_weight);
  writer.add(section(CatalogPart::by_length), catalog.by_length);
  writer.add(section(CatalogPart::signatures), catalog.signatures);
  writer.add(section(CatalogPart::ends), catalog.ends);
  writer.add(section(CatalogPart::lengths), catalog.lengths);
  writer.add(section(CatalogPart::name_hashes), catalog.name_hashes);
  writer.add(section(CatalogPart::hashed_tools), catalog.hashed_tools);
  writer.add(section(CatalogPart::impacts), catalog.impacts);
  writer.add(section(CatalogPart::segment_starts), catalog.by_segment.starts);
  writer.add(section(CatalogPart::segment_places), catalog.by_segment.numbers);
  writer.add(section(CatalogPart::meanings), catalog.meanings);
  static const std::uint32_t mark = word_vectors().mark();
  writer.add(section(CatalogPart::meanings_mark), std::span<const std::uint32_t>(&mark, 1));
}

Catalog read_catalog(const MappedIndex& file) {
  const auto numbers = [&](CatalogPart part) { return file.section<std::uint32_t>(section(part)); };
  const auto reals = [&](CatalogPart part) { return file.section<double>(section(part)); };
  Catalog catalog;
  catalog.keys.letters = file.section<char>(section(CatalogPart::key_letters));
  catalog.keys.starts = numbers(CatalogPart::key_starts);
  catalog.keys.slots = numbers(CatalogPart::key_slots);
  catalog.words.letters = file.section<char>(section(CatalogPart::word_letters));
  catalog.words.starts = numbers(CatalogPart::word_starts);
  catalog.words.slots = numbers(CatalogPart::word_slots);
  catalog.in_names = {numbers(CatalogPart::name_starts), numbers(CatalogPart::name_tools)};
  catalog.in_texts = {numbers(CatalogPart::text_starts), numbers(CatalogPart::text_tools)};
  catalog.counts = file.section<std::uint8_t>(section(CatalogPart::counts));
  catalog.idf = reals(CatalogPart::idf);
  catalog.text_scale = reals(CatalogPart::text_scale);
  catalog.name_weight = reals(CatalogPart::name_weight);
  catalog.by_length = numbers(CatalogPart::by_length);
  catalog.signatures = numbers(CatalogPart::signatures);
  catalog.ends = numbers(CatalogPart::ends);
  catalog.lengths = numbers(CatalogPart::lengths);
  catalog.name_hashes = file.section<std::uint64_t>(section(CatalogPart::name_hashes));
  catalog.hashed_tools = numbers(CatalogPart::hashed_tools);
  if (catalog.name_hashes.empty() && catalog.hashed_tools.empty()) name_by_key(catalog);
  check(catalog);
  catalog.impacts = file.section<std::uint8_t>(section(CatalogPart::impacts));
  catalog.by_segment = {numbers(CatalogPart::segment_starts), numbers(CatalogPart::segment_places)};
  if (catalog.by_segment.starts.empty()) {  // of a version that did not keep these
    catalog.derive_impacts();
    catalog.by_segment = segment_lists(catalog);
  }
  check_speed(catalog);
  catalog.derive_landmarks();
  read_meanings(file, catalog);
  return catalog;
}

}  // namespace prefrontal::routing
