// An index of tools that learns from use; safe for threads: many rank while none writes. What
// throws changes nothing.
#pragma once

#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/routing/catalog.hpp"
#include "csrc/routing/experience.hpp"
#include "csrc/routing/ranking.hpp"
#include "csrc/routing/saved_index.hpp"

namespace prefrontal::routing {

// A tool as it is handed in; the texts are UTF-8 and belong to the caller.
struct GivenTool {
  std::string_view key;
  std::string_view name;
  std::string_view doc;
  std::vector<std::string_view> intents;
  double history = -1.0;  // 0..1, or none
};

struct ToldTool {
  std::string key;
  Ranked ranked;
  std::string nearest;  // text of the nearest phrasing
  Record record;
};

struct Told {
  std::vector<ToldTool> tools;  // best first
  double learned = 0.0;
  Evidence evidence;
};

class ToolIndex {
 public:
  ToolIndex();

  // Adds tools, replacing those of the same key; what use has taught about them stays, and their
  // intents are added to it. Throws std::invalid_argument when a key comes twice.
  void put(std::span<const GivenTool> tools);
  bool remove(std::string_view key);  // false when there was none
  std::uint32_t size() const;
  bool contains(std::string_view key) const;
  std::vector<std::string> keys() const;  // sorted by their bytes

  // `similarities` and `successes` by key; of the others the former count 0, the latter as
  // recorded.
  Told rank(Question question, std::span<const std::pair<std::string, double>> similarities,
            std::span<const std::pair<std::string, double>> successes = {}) const;
  double relevance(std::string_view intent, const Calibration& calibration, bool relatives,
                   bool word_vectors) const;

  // All three: false for an unknown key.
  bool accept(std::string_view intent, std::string_view key, const Moment& now);
  bool reject(std::string_view intent, std::string_view key, const Moment& now);

  std::string save() const;
  // Throws UnreadableIndex, and changes nothing.
  void load(const std::string& path);

 private:
  Experience experience_of(const Catalog& catalog) const;
  void replace(Catalog catalog, Experience experience) noexcept;

  Catalog catalog_;
  Experience experience_;
  std::shared_ptr<const MappedIndex> mapped_;  // what the catalog may lie in
  mutable std::shared_mutex mutex_;
};

}  // namespace prefrontal::routing
