// How each tool was asked for: given intents and accepted prompts, and how near a prompt is.
//
//   idf(t) = ln((n + 1) / (df(t) + 1)) + 1 over the n phrasings; a phrasing is the set of its words
//   nearness(tool) = mean of the tool's best min(3, count) cosines with the prompt
//   meaning(tool) = sum of what its phrasings mean (word_vectors.hpp), each of the same length
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/routing/intent.hpp"
#include "csrc/routing/margin_model.hpp"
#include "csrc/routing/vocabulary.hpp"
#include "csrc/routing/word_vectors.hpp"

namespace prefrontal::routing {

using WordIds = std::vector<std::uint32_t>;

// A prompt in the words of a store of phrasings, in the prompt's order.
struct Asked {
  WordIds words;          // those that some phrasing has
  std::uint32_t unknown;  // how many others there are
  std::vector<double> x;  // of `words`, for the models: of unit length with the unknown
  Features features;      // the same, with pairs of words
  double cosine_scale;    // 1 / length over idf
};

struct Nearness {
  std::uint32_t tool;
  double nearness;
  double highest;            // cosine
  std::uint32_t nearest[3];  // phrasings, the nearest first; kNone where there are fewer
};

class Phrasings {
 public:
  struct Phrasing {
    std::uint32_t tool;  // kNone once it was taken out
    WordIds words;
    std::string text;
    double scale;  // 1 / length over idf
  };
  // A tool's phrasings, oldest first, and what they mean.
  struct ToolPhrasings {
    WordIds ids;
    MeaningSum meaning;
  };

  // What `add` and `remove` did. They change nothing when they throw.
  struct Change {
    std::uint32_t tool = kNone;
    std::uint32_t added = kNone;  // the phrasing that is there now, new or the newest again
    std::uint32_t removed =
        kNone;            // the one that went, was the same, or was the oldest of too many
    std::size_t age = 0;  // its place among the tool's
    Phrasing before;      // what it was
    std::map<std::uint32_t, ToolPhrasings>::node_type own;  // the tool's, where it became empty
    std::uint32_t words = 0;                                // how many words there were

    bool is_new() const { return added != kNone && added != removed; }
  };
  // One of the same words for the same tool becomes its newest. The oldest goes where a tool has
  // more than 1,000. Call `refresh` before asking again.
  Change add(std::uint32_t tool, const Intent& intent, std::string_view text);
  // Nothing is removed when the tool has none of the same words. Call `refresh` after.
  Change remove(std::uint32_t tool, const Intent& intent);
  // The latest change; `refresh` included, nothing came after it.
  void undo(Change change) noexcept;
  // Numbers the tools anew; kNone takes a tool's phrasings out. Call `refresh` after.
  void renumber(const std::vector<std::uint32_t>& tools);
  void refresh();

  std::uint32_t size() const { return live_; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(all_.size()); }
  const Phrasing& operator[](std::uint32_t id) const { return all_[id]; }
  std::string_view word(std::uint32_t id) const { return words_.text(id); }
  std::uint32_t words() const { return words_.size(); }
  const std::map<std::uint32_t, ToolPhrasings>& by_tool() const { return by_tool_; }
  std::size_t of(std::uint32_t tool) const {
    const auto own = by_tool_.find(tool);
    return own == by_tool_.end() ? 0 : own->second.ids.size();
  }

  Asked ask(const Intent& intent) const;
  // The x of a phrasing itself.
  std::vector<double> x_of(const Phrasing& phrasing) const;
  Features features_of(const Phrasing& phrasing, const std::vector<double>& x) const;
  // Of each tool that a phrasing shares a word with, in the order of the tools.
  std::vector<Nearness> nearest(const Asked& asked) const;
  // The cosine with any other text over the same idf, where a word nobody used counts in full.
  double cosine(const std::vector<std::string>& stems, const Intent& intent) const;

 private:
  friend class SavedExperience;
  WordIds numbered(const Intent& intent);
  void find_vectors();
  Meaning meaning(const WordIds& words) const noexcept;
  std::uint32_t find(std::uint32_t tool, const WordIds& words) const;
  void count(std::uint32_t id) noexcept;
  Phrasing take_out(std::uint32_t id) noexcept;
  void forget_words(std::uint32_t size) noexcept;
  double idf(std::uint32_t word) const { return idf_by_count_[counts_[word]]; }
  double x(std::uint32_t word) const { return x_by_count_[counts_[word]]; }

  GrowingVocabulary words_;
  std::vector<std::uint32_t> counts_;   // by word: phrasings that have it
  std::vector<WordIds> having_;         // by word: those phrasings
  std::vector<std::uint32_t> vectors_;  // by word: its place in word_vectors(), or kNone
  std::vector<Phrasing> all_;
  std::map<std::uint32_t, ToolPhrasings> by_tool_;
  std::uint32_t live_ = 0;
  std::vector<double> idf_by_count_{1.0};  // filled in for the counts that occur, and 0
  std::vector<double> x_by_count_{1.0};
};

}  // namespace prefrontal::routing
