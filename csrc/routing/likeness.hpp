// What the likeness of meanings says of the odds that the best tool is the right one.
//
//   odds' = w odds + (1 - w) (start + by_odds odds + by_likeness s + ahead max(0, lead)
//           + behind min(0, lead))
//
// in log odds; w: how much was learned, n / (n + tools) for n phrasings; s: the likeness of the
// prompt to the tool, 0..1; lead: what it exceeds that of the next tool by. Fitted by logistic
// regression: benchmarks/fit_likeness.py.
#pragma once

#include <algorithm>

namespace prefrontal::routing {

struct LikenessOdds {
  double start;
  double by_odds;
  double by_likeness;
  double ahead;
  double behind;
};

constexpr LikenessOdds kEmbedderOdds{-1.53, 0.40, 1.63, 3.70, 2.14};
constexpr LikenessOdds kWordOdds{-1.65, 0.51, 1.93, 3.24, 0.87};  // of word_vectors.hpp

inline double odds_with_likeness(const LikenessOdds& fitted, double odds, double learned,
                                 double likeness, double lead) {
  constexpr double kMostOdds = 7.0;
  const double bounded = std::clamp(odds, -kMostOdds, kMostOdds);
  const double told = fitted.start + fitted.by_odds * bounded + fitted.by_likeness * likeness +
                      fitted.ahead * std::max(0.0, lead) + fitted.behind * std::min(0.0, lead);
  return learned * odds + (1.0 - learned) * told;
}

}  // namespace prefrontal::routing
