#include <algorithm>
#include <cmath>

#include "csrc/routing/saved_parts.hpp"
#include "csrc/simd/saved_bytes.hpp"

namespace prefrontal::routing {
namespace {

enum class ExperiencePart : std::uint64_t {
  word_letters = 101,
  word_starts,
  phrasing_letters,
  phrasing_starts,
  phrasing_tools,
  phrasing_ages,
  phrasing_words,
  phrasing_word_starts,
  refusal_letters,
  refusal_starts,
  refusal_tools,
  row_starts,
  cells,
  record_tools,
  records,
  cursor,
  margin_keys,
  margin_starts,
  margin_cells,
};

constexpr Section section(ExperiencePart part) { return static_cast<Section>(part); }

// Rows of a file that `starts` cuts out of `values`.
template <class T>
struct Rows {
  std::span<const T> values;
  std::span<const std::uint32_t> starts;

  Rows(const MappedIndex& file, ExperiencePart values_part, ExperiencePart starts_part)
      : values(file.section<T>(section(values_part))),
        starts(file.section<std::uint32_t>(section(starts_part))) {
    expect(!starts.empty() && starts.front() == 0 && starts.back() == values.size() &&
           std::ranges::is_sorted(starts));
  }
  std::size_t size() const { return starts.size() - 1; }
  std::span<const T> operator[](std::size_t i) const {
    return values.subspan(starts[i], starts[i + 1] - starts[i]);
  }
};

std::string_view text_of(std::span<const char> letters) {
  const std::string_view text(letters.data(), letters.size());
  expect(simd::is_text(text));
  return text;
}

bool well_formed(const Record& record) {
  const auto count = [](double value) { return std::isfinite(value) && value >= 0.0; };
  return count(record.ok) && count(record.failed) && std::isfinite(record.at_s) &&
         record.given <= 1.0;
}

}  // namespace

void PackedTexts::add(std::string_view text) {
  letters.insert(letters.end(), text.begin(), text.end());
  starts.push_back(static_cast<std::uint32_t>(letters.size()));
}

void PackedRows::add(const Row& row) {
  cells.insert(cells.end(), row.begin(), row.end());
  starts.push_back(static_cast<std::uint32_t>(cells.size()));
}

SavedExperience::SavedExperience(const Experience& experience) {
  const Phrasings& phrasings = experience.phrasings_;
  for (std::uint32_t word = 0; word < phrasings.words(); ++word) words_.add(phrasings.word(word));
  std::vector<std::uint32_t> ages(phrasings.slots());
  for (const auto& [tool, own] : phrasings.by_tool_) {
    for (std::size_t age = 0; age < own.ids.size(); ++age)
      ages[own.ids[age]] = static_cast<std::uint32_t>(age);
  }
  cursor_.push_back(0);
  for (std::uint32_t id = 0; id < phrasings.slots(); ++id) {
    const Phrasings::Phrasing& phrasing = phrasings[id];
    if (phrasing.tool == kNone) continue;
    if (id < experience.cursor_) ++cursor_.front();
    phrasings_.add(phrasing.text);
    phrasing_tools_.push_back(phrasing.tool);
    ages_.push_back(ages[id]);
    phrasing_words_.insert(phrasing_words_.end(), phrasing.words.begin(), phrasing.words.end());
    word_starts_.push_back(static_cast<std::uint32_t>(phrasing_words_.size()));
  }
  for (const auto& [tool, own] : experience.refusals_) {
    for (const Refusal& refusal : own) {
      refusals_.add(refusal.text);
      refusal_tools_.push_back(tool);
    }
  }
  for (const Row& row : experience.shares_.rows()) shares_.add(row);
  for (const auto& [key, row] : experience.margins_.rows()) {
    margin_keys_.push_back(key);
    margins_.add(*row);
  }
  for (const auto& [tool, record] : experience.records_) {
    record_tools_.push_back(tool);
    records_.push_back(record);
  }
}

void SavedExperience::write(IndexWriter& writer) const {
  writer.add(section(ExperiencePart::word_letters), words_.letters);
  writer.add(section(ExperiencePart::word_starts), words_.starts);
  writer.add(section(ExperiencePart::phrasing_letters), phrasings_.letters);
  writer.add(section(ExperiencePart::phrasing_starts), phrasings_.starts);
  writer.add(section(ExperiencePart::phrasing_tools), phrasing_tools_);
  writer.add(section(ExperiencePart::phrasing_ages), ages_);
  writer.add(section(ExperiencePart::phrasing_words), phrasing_words_);
  writer.add(section(ExperiencePart::phrasing_word_starts), word_starts_);
  writer.add(section(ExperiencePart::refusal_letters), refusals_.letters);
  writer.add(section(ExperiencePart::refusal_starts), refusals_.starts);
  writer.add(section(ExperiencePart::refusal_tools), refusal_tools_);
  writer.add(section(ExperiencePart::row_starts), shares_.starts);
  writer.add(section(ExperiencePart::cells), shares_.cells);
  writer.add(section(ExperiencePart::record_tools), record_tools_);
  writer.add(section(ExperiencePart::records), records_);
  writer.add(section(ExperiencePart::cursor), cursor_);
  writer.add(section(ExperiencePart::margin_keys), margin_keys_);
  writer.add(section(ExperiencePart::margin_starts), margins_.starts);
  writer.add(section(ExperiencePart::margin_cells), margins_.cells);
}

namespace {

void read_words(const MappedIndex& file, GrowingVocabulary& words) {
  const Rows<char> texts(file, ExperiencePart::word_letters, ExperiencePart::word_starts);
  for (std::size_t i = 0; i < texts.size(); ++i) expect(words.add(text_of(texts[i])) == i);
}

Row read_row(std::span<const Cell> cells, std::uint32_t tools) {
  for (std::size_t at = 0; at < cells.size(); ++at) {
    expect(cells[at].tool < tools && (at == 0 || cells[at - 1].tool < cells[at].tool));
    expect(std::isfinite(cells[at].weight) && std::isfinite(cells[at].energy) &&
           cells[at].energy > 0.0F);
  }
  return {cells.begin(), cells.end()};
}

std::vector<Row> read_rows(const MappedIndex& file, std::uint32_t words, std::uint32_t tools) {
  const Rows<Cell> cells(file, ExperiencePart::cells, ExperiencePart::row_starts);
  expect(cells.size() <= words);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) rows.push_back(read_row(cells[i], tools));
  return rows;
}

MarginModel read_margins(const MappedIndex& file, std::uint32_t words, std::uint32_t tools) {
  const Rows<Cell> cells(file, ExperiencePart::margin_cells, ExperiencePart::margin_starts);
  const auto keys = file.section<Features::Key>(section(ExperiencePart::margin_keys));
  expect(cells.size() == keys.size());
  MarginModel out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [first, second] = Features::words(keys[i]);
    expect(first < words && second < words && (i == 0 || keys[i - 1] < keys[i]));
    out.set_row(keys[i], read_row(cells[i], tools));
  }
  return out;
}

std::span<const std::uint32_t> read_tools(const MappedIndex& file, ExperiencePart part,
                                          std::size_t n, std::uint32_t tools) {
  const auto numbers = file.section<std::uint32_t>(section(part));
  expect(numbers.size() == n);
  for (const std::uint32_t tool : numbers) expect(tool < tools);
  return numbers;
}

std::vector<std::string> stems_of(std::string_view text) {
  std::vector<std::string> stems;
  for (const Intent::Token& token : Intent(text).tokens) stems.push_back(token.stem);
  return stems;
}

}  // namespace

Experience SavedExperience::read(const MappedIndex& file, std::uint32_t tools) {
  Experience out;
  Phrasings& phrasings = out.phrasings_;
  read_words(file, phrasings.words_);
  phrasings.counts_.resize(phrasings.words());
  phrasings.having_.resize(phrasings.words());
  phrasings.find_vectors();
  const Rows<char> texts(file, ExperiencePart::phrasing_letters, ExperiencePart::phrasing_starts);
  const Rows<std::uint32_t> words(file, ExperiencePart::phrasing_words,
                                  ExperiencePart::phrasing_word_starts);
  const auto owners = read_tools(file, ExperiencePart::phrasing_tools, texts.size(), tools);
  const auto ages = file.section<std::uint32_t>(section(ExperiencePart::phrasing_ages));
  expect(words.size() == texts.size() && ages.size() == texts.size());
  for (std::uint32_t id = 0; id < texts.size(); ++id) {
    for (const std::uint32_t word : words[id]) {
      expect(word < phrasings.words());
      ++phrasings.counts_[word];
      phrasings.having_[word].push_back(id);
    }
    phrasings.all_.push_back(
        {owners[id], {words[id].begin(), words[id].end()}, std::string(text_of(texts[id])), 0.0});
    Phrasings::ToolPhrasings& own = phrasings.by_tool_[owners[id]];
    own.ids.push_back(id);
    own.meaning.add(phrasings.meaning(phrasings.all_.back().words), 1);
  }
  for (auto& [tool, own] : phrasings.by_tool_)
    std::ranges::stable_sort(own.ids, {}, [&](std::uint32_t id) { return ages[id]; });
  phrasings.live_ = phrasings.slots();
  phrasings.refresh();

  out.shares_.set_rows(read_rows(file, phrasings.words(), tools));
  if (file.section<std::uint32_t>(section(ExperiencePart::margin_starts)).empty()) {
    out.learn_margins(tools);  // saved before there were any
  } else {
    out.margins_ = read_margins(file, phrasings.words(), tools);
  }
  const Rows<char> refused(file, ExperiencePart::refusal_letters, ExperiencePart::refusal_starts);
  const auto refusers = read_tools(file, ExperiencePart::refusal_tools, refused.size(), tools);
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const std::string_view text = text_of(refused[i]);
    out.refusals_[refusers[i]].push_back({stems_of(text), std::string(text)});
  }
  const auto records = file.section<Record>(section(ExperiencePart::records));
  const auto tried = read_tools(file, ExperiencePart::record_tools, records.size(), tools);
  for (std::size_t i = 0; i < records.size(); ++i) {
    expect(well_formed(records[i]));
    out.set_record(tried[i], records[i]);
  }
  const auto cursor = file.section<std::uint32_t>(section(ExperiencePart::cursor));
  expect(cursor.size() == 1);
  out.cursor_ = cursor.front();
  return out;
}

}  // namespace prefrontal::routing
