// Tools in the order in which they fit a prompt.
//
//   raw = w_name N + w_doc D + w_history H, a whole number of millionths before it is compared
//   score = 1 / (1 + e^-(slope (raw - reached) + ln 1.5)), so .6 where raw = reached
//   reached = cold + (learned - cold) w, w = n / (n + tools) for n phrasings
//
// For the best tool, `reached` is moved to where its score is the odds of score_map.hpp: not down
// among fewer than 5 tools, not so far up that it falls below .6 where the prompt is like one that
// the tool was accepted for or says its whole name and nothing that its texts lack, and not at all
// where the prompt calls it by name. For the others it is moved up only: that the best is sure says
// nothing good of them.
//
// A tool that the prompt calls by its whole name (exact_names.hpp) comes first, with N = D = 1; of
// several, the one of the longest name.
// N = max(name_coverage * name_share, nearness of the tool's phrasings)
// D = (1 - s w) text + s w (.7 M + .3 sqrt(P)), M the tool's margin, held to 0..1, and P its share;
// s is .7, up to .9 for a tool of few words that learning knows a word of the prompt of
// text = description + .4 (1 - covered) max(0, likeness - description), covered: the part of the
// prompt's words that the tool's texts have; likeness: of what they and the tool's phrasings mean
// (meaning_likeness.hpp). Where there are more than 1,024 tools it is 0 but for those that use
// taught something about and for the 10 best by words. It also adds .4 w likeness to D, up
// to 1. Among 5 to 20 tools (less and less up to 60) likeness takes .45 (1 - w^4) (1 - c^4) of D, c
// the largest `covered` of any tool: where none has all words of the prompt, what they mean tells
// more. With an embedder D is mixed with its likeness in place of all three. Both are multiplied by
// 1 - r^3, r the largest cosine with a prompt the tool was refused for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/exact_names.hpp"
#include "csrc/routing/experience.hpp"
#include "csrc/routing/score_map.hpp"

namespace prefrontal::routing {

struct Weights {
  double name = 0.4;
  double doc = 0.4;
  double history = 0.2;
};

constexpr double kSlope = 11.0;
constexpr double kCold = 0.40;
constexpr double kLearned = 0.52;

struct Calibration {
  double slope = kSlope;
  double cold = kCold;
  double learned = kLearned;
};

struct Question {
  std::string_view intent;
  std::uint32_t most = 10;  // tools to be told
  Weights weights;
  Calibration calibration;
  Moment now;
  std::span<const double> similarities;  // likeness by an embedder, by tool; empty without one
  double similarity_share = 0.5;
  std::span<const double> successes;  // of each tool, in place of its record; empty for the records
  bool prior_history = false;         // every tool counts as never tried
  bool relatives = true;              // words near those of the prompt that no tool has count, too
  bool joined = false;                // tells them
  bool word_vectors = true;           // likeness by word_vectors.hpp, where no embedder gives any
};

struct Ranked {
  std::uint32_t tool;
  std::int64_t raw;  // millionths
  std::int64_t fit;  // the same if no tool had ever been tried: what the map compares
  double score;
  double reached;  // the sum that gives .6
  double name_similarity;
  double doc_keywords;
  double history_success;
  double likeness;
  // What they follow from.
  double description;
  double linear;  // share
  double margin;
  double phrasing;
  double plain;           // the weighted sum without refusals and history
  double accepted;        // the largest cosine with a phrasing
  std::uint32_t nearest;  // phrasing, or kNone
  double refused;
  std::uint32_t name_words;          // of its whole name, where the prompt calls it by that
  std::vector<std::string> matched;  // words of the prompt that the tool or its phrasings have
  std::vector<std::pair<std::string, std::string>> joined;  // others, and a relative in its texts
};

struct Ranking {
  std::vector<Ranked> tools;  // best first
  double learned;             // w
  Evidence evidence;          // of the best
};

Ranking rank(const Catalog& catalog, const Experience& experience, const Question& question);

// The score of a weighted sum: rounded to millionths, then the logistic curve that gives .6 at
// `reached`, rounded again.
double calibrated(double sum, double slope, double reached);

// The score of the best tool when all count as never tried; 0 without tools.
double relevance(const Catalog& catalog, const Experience& experience, std::string_view intent,
                 const Calibration& calibration, bool relatives = true, bool word_vectors = true);

}  // namespace prefrontal::routing
