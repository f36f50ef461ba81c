// How well the tools' own words fit a prompt.
//
//   cosine  = sum of (q idf) (count idf) / (|q| |text|), q the likeness of a word to the prompt
//   covered = min(1, sum of min(1, q) idf / asked), asked = idf of the prompt's content words
//   description = min(1, 1.3 (cosine + covered / 2) / 1.5 + .3 covered^4)
//   name = (share of the name's idf that was asked for) * min(1, that idf / asked)
//
// idf counts by how much a word tells (lexicon.hpp). The sums are whole numbers, so they do not
// depend on the order in which lists are read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/intent.hpp"
#include "csrc/routing/soft_match.hpp"

namespace prefrontal::routing {

// A word that the prompt may mean, with the tools that hold it in their text or in their name.
struct WordList {
  std::span<const std::uint32_t> tools;
  const std::uint8_t* counts;   // beside `tools`, as are
  const std::uint8_t* impacts;  // catalog.hpp; both null for names
  double weight;                // likeness to the prompt times idf
  std::int64_t product;         // what it adds to a tool's sums: times count,
  std::uint64_t idf;            // and as it is
  std::uint64_t tokens;
};

class Description {
 public:
  Description(const Catalog& catalog, const Intent& intent, bool with_relatives);
  ~Description();
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  std::span<const WordList> lists() const { return lists_; }
  double asked() const { return asked_; }
  // At most what a list adds to the cosine of a text; and which share of what was asked it covers.
  double cosine_share(const WordList& list) const { return list.weight * scale_; }
  double asked_share(const WordList& list) const;
  static constexpr double kGain = 1.3 / 1.5;
  // What `covered` adds besides: hardly anything before it is all.
  static double whole_gain(double covered);
  static constexpr double kWholeGain = 0.3;

  // Reads all lists for some tools (ascending) that were not read before.
  void read(std::span<const std::uint32_t> tools);
  bool has(std::uint32_t tool) const { return slots_[tool] != kNone; }

  // All three of a tool that was read.
  double text(std::uint32_t tool) const;
  double name(std::uint32_t tool) const;
  // Shares: of the idf that was asked for, what the tool's texts have, and what any tool has; of
  // the idf of the tool's name, what was asked for.
  double covered(std::uint32_t tool) const;
  double known() const { return known_; }
  double name_coverage(std::uint32_t tool) const;
  std::uint64_t tokens(std::uint32_t tool) const { return entry(tool).tokens; }

 private:
  // What the lists say of a tool.
  struct Entry {
    std::uint32_t tool;
    std::int64_t product = 0;
    std::uint64_t covered = 0;
    std::uint64_t named = 0;
    std::uint64_t tokens = 0;  // of the prompt that the tool has words like
  };

  void list_words(const std::vector<Match>& matches);
  const Entry& entry(std::uint32_t tool) const { return entries_[slots_[tool]]; }
  void put(const WordList& list, std::size_t at);
  void scan(const WordList& list);
  void search(const WordList& list, std::span<const std::uint32_t> tools);

  const Catalog& catalog_;
  std::vector<std::uint32_t>& slots_;      // by tool: where in entries_; kept between prompts
  std::vector<std::uint64_t>& asked_for_;  // a bit for each tool that is being read; kept too
  std::vector<Entry> entries_;
  std::vector<WordList> lists_;
  double scale_ = 0.0;  // 1 / |q|
  double asked_ = 1.0;
  double known_ = 0.0;
};

}  // namespace prefrontal::routing
