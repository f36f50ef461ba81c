// The parts of an index as sections of a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/experience.hpp"
#include "csrc/routing/saved_index.hpp"

namespace prefrontal::routing {

void write(const Catalog& catalog, IndexWriter& writer);
// Lies in the file. Throws UnreadableIndex.
Catalog read_catalog(const MappedIndex& file);

// Texts one after the other.
struct PackedTexts {
  std::vector<char> letters;
  std::vector<std::uint32_t> starts{0};

  void add(std::string_view text);
};

// Rows of weights one after the other.
struct PackedRows {
  std::vector<Cell> cells;
  std::vector<std::uint32_t> starts{0};

  void add(const Row& row);
};

// What use has taught, as rows of plain numbers.
class SavedExperience {
 public:
  explicit SavedExperience(const Experience& experience);
  void write(IndexWriter& writer) const;
  // Copied out of the file. Throws UnreadableIndex.
  static Experience read(const MappedIndex& file, std::uint32_t tools);

 private:
  PackedTexts words_;
  PackedTexts phrasings_;
  std::vector<std::uint32_t> phrasing_tools_;
  std::vector<std::uint32_t> ages_;  // place among the phrasings of the same tool
  std::vector<std::uint32_t> phrasing_words_;
  std::vector<std::uint32_t> word_starts_{0};
  PackedTexts refusals_;
  std::vector<std::uint32_t> refusal_tools_;
  PackedRows shares_;
  std::vector<Features::Key> margin_keys_;
  PackedRows margins_;
  std::vector<std::uint32_t> record_tools_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> cursor_;
};

}  // namespace prefrontal::routing
