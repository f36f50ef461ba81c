#include "csrc/routing/score_map.hpp"

namespace prefrontal::routing {
namespace {

struct Term {
  double weight;
  Fact one;
  Fact other;   // Fact::one for a hinge
  double knot;  // of a hinge; 0 in a product
};

// Printed by benchmarks/fit_score_map.py.
constexpr Term kTerms[] = {
    {-3.8989, Fact::one, Fact::one, 0.0},
    {4.6484, Fact::gap, Fact::one, 0.0},
    {9.5484, Fact::gap, Fact::one, 0.02},
    {-5.2019, Fact::gap, Fact::one, 0.05},
    {-6.7999, Fact::gap, Fact::one, 0.1},
    {2.6797, Fact::gap, Fact::one, 0.2},
    {2.2203, Fact::covered, Fact::one, 0.0},
    {-0.8338, Fact::covered, Fact::one, 0.3},
    {-0.2152, Fact::covered, Fact::one, 0.5},
    {1.4459, Fact::covered, Fact::one, 0.7},
    {3.1254, Fact::description, Fact::one, 0.2},
    {0.6597, Fact::description, Fact::one, 0.4},
    {-2.5482, Fact::description, Fact::one, 0.6},
    {0.8103, Fact::name, Fact::one, 0.0},
    {3.3195, Fact::name, Fact::one, 0.5},
    {-3.6179, Fact::name, Fact::one, 0.75},
    {4.5910, Fact::phrasing, Fact::one, 0.0},
    {-2.6311, Fact::phrasing, Fact::one, 0.25},
    {1.8779, Fact::phrasing, Fact::one, 0.45},
    {2.1635, Fact::phrasing, Fact::one, 0.65},
    {0.4543, Fact::linear, Fact::one, 0.0},
    {-0.1520, Fact::linear, Fact::one, 0.3},
    {-0.3022, Fact::linear, Fact::one, 0.5},
    {4.9285, Fact::linear, Fact::one, 0.75},
    {1.4803, Fact::known, Fact::one, 0.0},
    {-0.0986, Fact::known, Fact::one, 0.5},
    {-0.4526, Fact::text, Fact::one, 0.0},
    {0.9929, Fact::text, Fact::one, 1.2},
    {-0.4855, Fact::text, Fact::one, 2.0},
    {0.3692, Fact::phrasings, Fact::one, 0.0},
    {-0.8631, Fact::phrasings, Fact::one, 1.0},
    {-0.1905, Fact::phrasings, Fact::one, 2.5},
    {0.1376, Fact::words, Fact::one, 0.0},
    {0.6307, Fact::words, Fact::one, 1.5},
    {-0.4591, Fact::tools, Fact::one, 0.0},
    {0.4174, Fact::tools, Fact::one, 3.0},
    {0.9197, Fact::tools, Fact::one, 4.5},
    {-0.6955, Fact::learned, Fact::one, 0.0},
    {2.7816, Fact::learned, Fact::one, 0.6},
    {5.1382, Fact::gap, Fact::learned, 0.0},
    {-0.5653, Fact::gap, Fact::text, 0.0},
    {0.1116, Fact::gap, Fact::phrasings, 0.0},
    {-0.3146, Fact::gap, Fact::tools, 0.0},
    {-0.7340, Fact::covered, Fact::learned, 0.0},
    {0.3314, Fact::covered, Fact::text, 0.0},
    {-0.2522, Fact::covered, Fact::phrasings, 0.0},
    {-0.5556, Fact::covered, Fact::tools, 0.0},
    {-3.3998, Fact::description, Fact::learned, 0.0},
    {0.9470, Fact::description, Fact::text, 0.0},
    {0.1221, Fact::description, Fact::phrasings, 0.0},
    {0.1589, Fact::description, Fact::tools, 0.0},
    {0.2880, Fact::name, Fact::learned, 0.0},
    {0.1048, Fact::name, Fact::text, 0.0},
    {-0.3400, Fact::name, Fact::phrasings, 0.0},
    {-0.2117, Fact::name, Fact::tools, 0.0},
    {2.8429, Fact::phrasing, Fact::learned, 0.0},
    {-1.6078, Fact::phrasing, Fact::text, 0.0},
    {-0.1255, Fact::phrasing, Fact::phrasings, 0.0},
    {0.0700, Fact::phrasing, Fact::tools, 0.0},
    {0.3128, Fact::linear, Fact::learned, 0.0},
    {0.2630, Fact::linear, Fact::text, 0.0},
    {-0.3664, Fact::linear, Fact::phrasings, 0.0},
    {0.7406, Fact::linear, Fact::tools, 0.0},
};

}  // namespace

double log_odds(const Evidence& evidence) {
  const auto of = [&](Fact fact) { return evidence[static_cast<std::size_t>(fact)]; };
  double sum = 0.0;
  for (const Term& term : kTerms) {
    const double above = of(term.one) - term.knot;
    sum += term.weight * (above > 0.0 ? above : 0.0) * of(term.other);
  }
  return sum;
}

}  // namespace prefrontal::routing
