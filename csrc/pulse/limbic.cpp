#include "csrc/pulse/limbic.hpp"

#include <array>

namespace prefrontal::pulse {
namespace {

std::string answer_name(const Rule& rule, bool matches) {
  return rule.text() + (matches ? ": yes" : ": no");
}

// Of one module alone, or a module would answer rules that only its neighbours have.
std::uint64_t answer_key(const std::string& module, const Rule& rule, bool matches) {
  return key_of(Kind::rule, module + '\n' + answer_name(rule, matches));
}

}  // namespace

std::function<void(const LinearScorer::Outcome&)> routing_of_created(Routes& routes) {
  return [&routes](const LinearScorer::Outcome& outcome) {
    std::vector<std::string> created;
    for (const auto& [name, what] : outcome)
      if (what == Restored::created) created.push_back(name);
    routes.add_all(created);
  };
}

Reading Limbic::reading_of(const std::string& module) const {
  const bool commit_files = scorer_.commit_files(module);
  std::lock_guard lock(mutex_);
  return {in_utc_.contains(module) ? Zone::utc : zone_, commit_files};
}

void Limbic::read_utc(const std::string& module) {
  std::lock_guard lock(mutex_);
  in_utc_.insert(module);
}

void Limbic::keys(const std::string& module, const Window& window, Keys& keys) const {
  extract_keys(window, reading_of(module), keys);
  add_answer(module, window, keys);
}

void Limbic::keys(const Window& window, Keys& keys) const {
  extract_keys(window, {zone_}, keys);
  std::lock_guard lock(mutex_);
  if (keys.empty()) return;
  for (const auto& [module, rule] : rules_)
    keys.push_back({answer_key(module, rule, rule.matches(window)), Kind::rule});
}

void Limbic::keys(std::span<const std::string> modules, const Window& window, Keys& keys) const {
  extract_keys(window, {zone_}, keys);
  std::lock_guard lock(mutex_);
  if (keys.empty() || rules_.empty()) return;
  for (const std::string& module : modules) {
    const auto rule = rules_.find(module);
    if (rule != rules_.end())
      keys.push_back({answer_key(module, rule->second, rule->second.matches(window)), Kind::rule});
  }
}

void Limbic::score_commit(const Window& window, LinearScorer::Scores& scores, Keys& keys) const {
  if (!holds_commit_files(window)) return;
  extract_keys(window, {zone_, true}, keys);
  const std::size_t shared = keys.size();
  for (std::size_t i = 0; i < scores.values.size(); ++i) {
    const std::string& module = (*scores.modules)[i];
    if (!scorer_.commit_files(module)) continue;
    keys.resize(shared);
    add_answer(module, window, keys);
    scores.values[i] = scorer_.score(module, keys);
  }
}

void Limbic::add_answer(const std::string& module, const Window& window, Keys& keys) const {
  std::lock_guard lock(mutex_);
  const auto rule = rules_.find(module);
  if (rule != rules_.end() && !keys.empty())
    keys.push_back({answer_key(module, rule->second, rule->second.matches(window)), Kind::rule});
}

std::vector<NamedFeature> Limbic::named(const std::string& module, const Window& window) const {
  std::vector<NamedFeature> features = extract_named(window, reading_of(module));
  std::lock_guard lock(mutex_);
  const auto rule = rules_.find(module);
  if (rule != rules_.end() && !features.empty()) {
    const bool matches = rule->second.matches(window);
    features.push_back(
        {answer_key(module, rule->second, matches), "rule " + answer_name(rule->second, matches)});
  }
  return features;
}

bool Limbic::start_from(const std::string& module, const Rule& rule) {
  const std::array<Seed, 2> seeds = {
      Seed{answer_key(module, rule, true), Kind::rule, static_cast<float>(rule.log_odds_match)},
      Seed{answer_key(module, rule, false), Kind::rule, static_cast<float>(rule.log_odds_rest)}};
  std::map<std::string, Rule> own{{module, rule}};
  if (!scorer_.seed(module, seeds)) return false;
  std::lock_guard lock(mutex_);
  rules_.erase(module);
  rules_.merge(own);
  return true;
}

void Limbic::add(const std::string& module, const std::string& digest, float bias,
                 std::span<const Seed> seeds, bool steady, bool commit_files) {
  scorer_.add(module, digest, bias, seeds, steady, commit_files);
  forget(module);
}

void Limbic::remove(const std::string& module) {
  scorer_.remove(module);
  forget(module);
}

LinearScorer::Outcome Limbic::load(std::string_view bytes, std::string_view only) {
  return scorer_.load(bytes, only, routing_of_created(routes_));
}

void Limbic::forget(const std::string& module) noexcept {
  routes_.remove(module);
  std::lock_guard lock(mutex_);
  rules_.erase(module);
  in_utc_.erase(module);
}

}  // namespace prefrontal::pulse
