// What an embedder says of the odds that the best tool is the right one.
//
//   odds' = w odds + (1 - w) (-1.53 + .40 odds + 1.63 s + 3.70 max(0, lead) + 2.14 min(0, lead))
//
// in log odds; w: how much was learned, n / (n + tools) for n phrasings; s: the likeness of the
// prompt to the tool, 0..1 (prefrontal.routing.ranking.meanings); lead: what it exceeds that of the
// next tool by. Fitted by logistic regression: benchmarks/fit_likeness.py.
#pragma once

#include <algorithm>

namespace prefrontal::routing {

inline double odds_with_likeness(double odds, double learned, double likeness, double lead) {
  constexpr double kMostOdds = 7.0;
  const double bounded = std::clamp(odds, -kMostOdds, kMostOdds);
  const double told = -1.53 + 0.40 * bounded + 1.63 * likeness + 3.70 * std::max(0.0, lead) +
                      2.14 * std::min(0.0, lead);
  return learned * odds + (1.0 - learned) * told;
}

}  // namespace prefrontal::routing
