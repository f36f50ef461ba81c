// What LimbicLayer is made of: the scorer, the routes to its modules, the rules some of them start
// from, and the time zone.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/pulse/routes.hpp"
#include "csrc/pulse/rule.hpp"

namespace prefrontal::pulse {

// Routes everything to modules that a load creates: nobody has registered them.
std::function<void(const LinearScorer::Outcome&)> routing_of_created(Routes& routes);

// What throws changes nothing.
class Limbic {
 public:
  Limbic(Zone zone, const LearningRates& rates) : zone_(zone), scorer_(rates) {}

  LinearScorer& scorer() { return scorer_; }
  const LinearScorer& scorer() const { return scorer_; }
  Routes& routes() { return routes_; }

  // The window's features and the answer of the module's rule, if it has one.
  void keys(const std::string& module, const Window& window, Keys& keys) const;
  // The window's features and the answers of all rules.
  void keys(const Window& window, Keys& keys) const;
  // The window's features and the answers of these modules' rules.
  void keys(std::span<const std::string> modules, const Window& window, Keys& keys) const;
  // Replaces the scores of a commit by those modules that read it as its files; `keys` is a buffer.
  void score_commit(const Window& window, LinearScorer::Scores& scores, Keys& keys) const;
  std::vector<NamedFeature> named(const std::string& module, const Window& window) const;

  // A module without routes and rule; replaces one of the same name.
  void add(const std::string& module, const std::string& digest, float bias,
           std::span<const Seed> seeds, bool steady = true, bool commit_files = false);
  // Gives the module a rule to start from; false for an unknown module.
  bool start_from(const std::string& module, const Rule& rule);
  // From now on the module, asked alone, reads hours and weekdays in UTC.
  void read_utc(const std::string& module);
  void remove(const std::string& module);
  LinearScorer::Outcome load(std::string_view bytes, std::string_view only);

 private:
  void forget(const std::string& module) noexcept;  // all but its weights
  Reading reading_of(const std::string& module) const;
  void add_answer(const std::string& module, const Window& window, Keys& keys) const;

  Zone zone_;
  LinearScorer scorer_;
  Routes routes_;
  std::map<std::string, Rule> rules_;  // by module
  std::set<std::string> in_utc_;
  mutable std::mutex mutex_;  // guards rules_ and in_utc_
};

}  // namespace prefrontal::pulse
