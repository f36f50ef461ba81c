// How likely the best tool is the right one, from all that the ranking saw.
//
//   log odds = sum of terms, each weight * max(0, one - knot) or weight * one * other
//
// one, other: entries of Evidence. Fitted by logistic regression: benchmarks/fit_score_map.py says
// on which prompts.
#pragma once

#include <array>
#include <cstdint>

namespace prefrontal::routing {

enum class Fact : std::uint8_t {
  one,               // 1
  gap,               // by how much its weighted sum exceeds the next tool's, at most 0.5
  covered,           // share of the prompt that its texts cover
  known,             // share of the prompt that any tool's texts cover
  description,       // how well its texts fit
  name,              // share of its name that the prompt says
  phrasing,          // nearness of its phrasings
  linear,            // root of its share by the linear model, 0 before there are phrasings
  text,              // ln(1 + the words of its texts), by their weight
  phrasings,         // ln(1 + its phrasings)
  words,             // ln(1 + content words of the prompt)
  tools,             // ln(tools)
  learned,           // n / (n + tools) for n phrasings
  accepted,          // the largest cosine with one of its phrasings
  share,             // its part of the e^(20 sum) of the first kFirst tools
  linear_lead,       // (1 + by how much its `linear` exceeds the others' of these) / 2
  description_lead,  // the same of `description`
  covered_lead,      // the same of `covered`
  heard,             // share of the prompt's words that any phrasing has
  likeness,          // of its meaning to the prompt's (meaning_likeness.hpp)
  meaning_lead,      // (1 + by how much it is nearer than any other) / 2
};
constexpr std::size_t kFacts = 21;
constexpr std::size_t kFirst = 5;  // tools that the best one is judged among

using Evidence = std::array<double, kFacts>;  // by Fact

double log_odds(const Evidence& evidence);

}  // namespace prefrontal::routing
