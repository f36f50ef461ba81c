#include "csrc/pulse/rule_finder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "csrc/pulse/sparse_features.hpp"
#include "csrc/pulse/words.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::size_t kMaxLocations = 64;  // of a window
constexpr std::size_t kRuleDepth = 6;      // folders of a location that rules speak of
constexpr std::size_t kSingles = 120;      // terms that are tried in pairs
constexpr std::size_t kFewest = 3;         // windows a term must have been seen in
constexpr std::size_t kRefined = 24;       // path terms that are tried with an exception
constexpr std::size_t kExceptions = 12;    // folder names tried as an exception
constexpr double kPrice = 0.01;            // share of the label's entropy a second word must earn
constexpr double kChance = 3.0;            // nats a word must tell in all, or it may be chance
constexpr double kNewer = 3.3;             // nats the newer half must tell: chi-square at 1 %
constexpr double kLuck = 0.025;            // of the rules of one term, and of those of two

using Bits = std::vector<std::uint64_t>;

struct Counts {
  std::size_t windows = 0, relevant = 0, matched = 0, caught = 0;
};

double entropy_part(double part, double of) {
  return part > 0.0 ? -(part / of) * simd::natural_log(part / of) : 0.0;
}

double entropy(double yes, double of) { return entropy_part(yes, of) + entropy_part(of - yes, of); }

// Information about relevance as a share of its entropy: 0 says nothing, 1 says all. A rule whose
// matches are the less relevant side counts as saying nothing.
double information(const Counts& c) {
  const auto n = static_cast<double>(c.windows), m = static_cast<double>(c.matched);
  const auto y = static_cast<double>(c.relevant), hit = static_cast<double>(c.caught);
  const double whole = entropy(y, n);
  if (whole <= 0.0 || hit * n < y * m) return 0.0;
  double rest = 0.0;
  if (m > 0.0) rest += m / n * entropy(hit, m);
  if (n > m) rest += (n - m) / n * entropy(y - hit, n - m);
  return (whole - rest) / whole;
}

Bits bits_of(const Term& term, const std::vector<Window>& windows) {
  Bits bits((windows.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (term.matches(windows[i])) bits[i / 64] |= 1ULL << (i % 64);
  }
  return bits;
}

Counts count(const Bits& bits, const Bits& relevant, Counts base) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    base.matched += static_cast<std::size_t>(std::popcount(bits[i]));
    base.caught += static_cast<std::size_t>(std::popcount(bits[i] & relevant[i]));
  }
  return base;
}

Bits joined(Bits a, Rule::Join join, const Bits& b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if (join == Rule::Join::either) a[w] |= b[w];
    if (join == Rule::Join::both) a[w] &= b[w];
    if (join == Rule::Join::but_not) a[w] &= ~b[w];
  }
  return a;
}

// Every term that a window could be described by.
void terms_of(const Window& window, std::set<Term>& terms) {
  for (const Event& event : window) {
    if (event.location.empty()) continue;
    const std::string_view location = event.location;
    const std::size_t slash = location.rfind('/');
    const std::string_view name =
        slash == std::string_view::npos ? location : location.substr(slash + 1);
    const std::string extension = lower_extension(name);
    auto both = [&](Term::Scope scope, std::string_view place) {
      Term term{Term::About::path, scope, std::string(place), std::nullopt, ""};
      if (scope != Term::Scope::anywhere) terms.insert(term);
      term.extension = extension;
      if (scope != Term::Scope::named) terms.insert(term);
    };
    both(Term::Scope::anywhere, "");
    both(Term::Scope::named, name);
    std::size_t from = 0;
    std::size_t depth = 0;
    for (std::size_t at = location.find('/'); at != std::string_view::npos && depth < kRuleDepth;
         at = location.find('/', from), ++depth) {
      if (at > 0) both(Term::Scope::under, location.substr(0, at));
      if (at > from && from > 0) both(Term::Scope::inside, location.substr(from, at - from));
      if (at > from && from == 0) both(Term::Scope::inside, location.substr(0, at));
      from = at + 1;
    }
  }
  if (window.empty()) return;
  const Event& event = window.front();
  if (!event.actor.empty())
    terms.insert({Term::About::actor, Term::Scope::anywhere, std::string(event.actor), {}, ""});
  for_each_word(event.text, true, [&](std::uint64_t, std::string_view word) {
    terms.insert({Term::About::word, Term::Scope::anywhere, std::string(word), {}, ""});
  });
}

struct Candidate {
  Term term;
  Counts counts;
  Bits bits;
};

std::vector<Term> shortlist(const std::map<Term, Counts>& counted) {
  std::vector<std::pair<double, Term>> order;
  for (const auto& [term, c] : counted) {
    if (c.matched >= kFewest) order.emplace_back(-information(c), term);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > kSingles) order.resize(kSingles);
  std::vector<Term> terms;
  for (auto& [told, term] : order) terms.push_back(std::move(term));
  return terms;
}

// Whether one of `tried` rules tells so many nats by chance in at most kLuck of all histories.
// Twice the nats are chi-square with one degree of freedom: P(more) < exp(-nats) / sqrt(pi nats).
bool beyond_luck(double nats, double tried) {
  constexpr double kPi = 3.14159265358979324;
  if (!(nats > 1.0)) return false;
  return nats + 0.5 * simd::natural_log(kPi * nats) >= simd::natural_log(tried / kLuck);
}

double nats_of(const Counts& c) {
  const auto windows = static_cast<double>(c.windows);
  return information(c) * windows * entropy(static_cast<double>(c.relevant), windows);
}

// Whether the newer half alone says it, too. Windows of one kind do not speak against any rule.
bool still_holds(const Counts& newer) {
  if (newer.relevant == 0 || newer.relevant == newer.windows) return true;
  return nats_of(newer) >= kNewer;
}

class Best {
 public:
  explicit Best(FoundRule start) : found_(std::move(start)) {
    const auto windows = static_cast<double>(found_.windows);
    nats_ = windows * entropy(static_cast<double>(found_.relevant), windows);
  }

  // tried: rules of as many terms. newer: counts the newer half; called for few.
  template <typename Newer>
  void offer(Rule rule, const Counts& c, int words, double tried, Newer&& newer) {
    const double told = information(c);
    const double worth = told - kPrice * words - kChance * (words + 2) / nats_;
    if (!(worth > worth_) || !beyond_luck(told * nats_, tried)) return;
    if (!still_holds(newer())) return;
    worth_ = worth;
    found_ = {std::move(rule), c.windows, c.relevant, c.matched, c.caught, true};
  }
  FoundRule found() const { return found_; }

 private:
  double nats_ = 0.0;   // all that there is to tell
  double worth_ = 0.0;  // what "**" is worth: it tells nothing
  FoundRule found_;
};

std::vector<std::string> folder_names(const std::vector<Window>& windows) {
  std::map<std::string, std::size_t> seen;
  for (const Window& window : windows) {
    std::set<std::string> here;
    for (const Event& event : window) {
      std::size_t from = 0;
      for (std::size_t at = event.location.find('/'); at != std::string_view::npos;
           at = event.location.find('/', from)) {
        if (at > from) here.emplace(event.location.substr(from, at - from));
        from = at + 1;
      }
    }
    for (const std::string& name : here) ++seen[name];
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [name, n] : seen) order.emplace_back(n, name);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(order.size(), kExceptions); ++i)
    names.push_back(order[i].second);
  return names;
}

// Windows by their number, and which of them were relevant.
class LabelledWindows {
 public:
  LabelledWindows(std::vector<Window> windows, std::vector<bool> relevance)
      : windows_(std::move(windows)),
        relevance_(std::move(relevance)),
        relevant_((windows_.size() + 63) / 64, 0),
        newer_half_(relevant_.size(), 0) {
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      add(i, all_, relevant_, relevance_[i]);
      if (i >= windows_.size() / 2) add(i, newer_, newer_half_, true);
    }
  }

  const std::vector<Window>& windows() const { return windows_; }
  const Bits& relevant() const { return relevant_; }
  // Nothing is matched yet.
  const Counts& all() const { return all_; }

  Counts counts(const Bits& bits) const { return count(bits, relevant_, all_); }

  // Of the newer half alone.
  Counts newer_counts(Bits bits) const {
    for (std::size_t w = 0; w < bits.size(); ++w) bits[w] &= newer_half_[w];
    return count(bits, relevant_, newer_);
  }

  // Each term that describes one of them, and how well.
  std::map<Term, Counts> terms() const {
    std::map<Term, Counts> counted;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      std::set<Term> terms;
      terms_of(windows_[i], terms);
      for (const Term& term : terms) {
        Counts& c = counted.try_emplace(term, all_).first->second;
        ++c.matched;
        c.caught += relevance_[i];
      }
    }
    return counted;
  }

 private:
  void add(std::size_t i, Counts& counts, Bits& bits, bool is_set) {
    ++counts.windows;
    counts.relevant += relevance_[i];
    if (is_set) bits[i / 64] |= 1ULL << (i % 64);
  }

  std::vector<Window> windows_;
  std::vector<bool> relevance_;
  Bits relevant_;
  Bits newer_half_;
  Counts all_, newer_;
};

// Tries terms alone, then with an exception, then in pairs.
class Search {
 public:
  Search(const LabelledWindows& past, FoundRule start) : past_(past), best_(std::move(start)) {}

  FoundRule best() const { return best_.found(); }

  void try_terms() {
    const std::map<Term, Counts> counted = past_.terms();
    tried_ = static_cast<double>(kRefined * kExceptions);
    for (const auto& [term, c] : counted) tried_ += c.matched >= kFewest ? 1.0 : 0.0;
    for (const Term& term : shortlist(counted)) consider(term, 0);
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) {
      return information(a.counts) > information(b.counts);
    });
    for (const Term& term : refined()) consider(term, 1);
  }

  void try_pairs() {
    const auto size = static_cast<double>(candidates_.size());
    tried_ = 3.0 * size * size;
    for (const Candidate& a : candidates_) {
      for (const Candidate& b : candidates_) {
        if (&a != &b && b.term.outside.empty()) consider(a, b);
      }
    }
  }

 private:
  void consider(const Term& term, int words) {
    Candidate candidate{term, {}, bits_of(term, past_.windows())};
    candidate.counts = past_.counts(candidate.bits);
    best_.offer({term, Rule::Join::one, {}, 0.0, 0.0}, candidate.counts, words, tried_,
                [&] { return past_.newer_counts(candidate.bits); });
    candidates_.push_back(std::move(candidate));
  }

  void consider(const Candidate& a, const Candidate& b) {
    Counts either = past_.all(), both = past_.all();
    for (std::size_t w = 0; w < a.bits.size(); ++w) {
      const std::uint64_t u = a.bits[w] | b.bits[w], n = a.bits[w] & b.bits[w];
      either.matched += static_cast<std::size_t>(std::popcount(u));
      either.caught += static_cast<std::size_t>(std::popcount(u & past_.relevant()[w]));
      both.matched += static_cast<std::size_t>(std::popcount(n));
      both.caught += static_cast<std::size_t>(std::popcount(n & past_.relevant()[w]));
    }
    Counts but_not = a.counts;
    but_not.matched -= both.matched;
    but_not.caught -= both.caught;
    const int price = a.term.outside.empty() ? 1 : 2;
    const auto offer = [&](Rule::Join join, const Counts& c) {
      best_.offer({a.term, join, b.term, 0.0, 0.0}, c, price, tried_,
                  [&] { return past_.newer_counts(joined(a.bits, join, b.bits)); });
    };
    offer(Rule::Join::either, either);
    offer(Rule::Join::both, both);
    offer(Rule::Join::but_not, but_not);
  }

  // The paths that tell most, each but for a folder.
  std::vector<Term> refined() const {
    std::vector<Term> terms;
    const std::vector<std::string> names = folder_names(past_.windows());
    for (const Candidate& candidate : candidates_) {
      if (terms.size() >= kRefined * kExceptions) break;
      if (candidate.term.about != Term::About::path) continue;
      for (const std::string& name : names) {
        terms.push_back(candidate.term);
        terms.back().outside = name;
      }
    }
    return terms;
  }

  const LabelledWindows& past_;
  Best best_;
  std::vector<Candidate> candidates_;
  double tried_ = 0.0;  // rules of as many terms
};

double log_odds(std::size_t yes, std::size_t all) {
  const auto y = static_cast<double>(yes), n = static_cast<double>(all);
  return simd::natural_log((y + 1.0) / (n - y + 1.0));
}

}  // namespace

Window RuleFinder::Kept::view() const {
  Window window(std::max<std::size_t>(1, locations.size()));
  for (std::size_t i = 0; i < window.size(); ++i) {
    if (i < locations.size()) window[i].location = locations[i];
    window[i].actor = actor;
    window[i].text = text;
  }
  for (std::size_t i = 1; i < window.size(); ++i) window[i].text = {};  // once is enough
  return window;
}

void RuleFinder::add(const Window& window, bool relevant) {
  Kept kept;
  kept.relevant = relevant;
  for (const Event& event : window) {
    if (kept.locations.size() == kMaxLocations) break;
    kept.locations.emplace_back(event.location);
  }
  if (!window.empty()) {
    kept.actor = window.front().actor;
    kept.text = window.front().text;
  }
  kept_.push_back(std::move(kept));
}

FoundRule RuleFinder::find() const {
  FoundRule everything;
  everything.windows = kept_.size();
  std::vector<Window> windows;
  std::vector<bool> relevance;
  for (const Kept& kept : kept_) {
    windows.push_back(kept.view());
    relevance.push_back(kept.relevant);
    everything.relevant += kept.relevant;
    if (kept.locations.empty()) continue;
    ++everything.matched;
    everything.caught += kept.relevant;
  }
  const LabelledWindows past(std::move(windows), std::move(relevance));
  Search search(past, std::move(everything));
  search.try_terms();
  search.try_pairs();
  FoundRule found = search.best();
  found.rule.log_odds_match = log_odds(found.caught, found.matched);
  found.rule.log_odds_rest = log_odds(found.relevant - found.caught, found.windows - found.matched);
  return found;
}

}  // namespace prefrontal::pulse
