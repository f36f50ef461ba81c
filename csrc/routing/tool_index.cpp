#include "csrc/routing/tool_index.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "csrc/routing/catalog_draft.hpp"
#include "csrc/routing/saved_parts.hpp"

namespace prefrontal::routing {
namespace {

using Phrase = std::pair<std::uint32_t, std::string_view>;

// The first phrasing of every tool, then the second of every one, ...
std::vector<Phrase> in_turns(std::span<const GivenTool* const> tools, const Vocabulary& keys) {
  std::size_t most = 0;
  for (const GivenTool* tool : tools) most = std::max(most, tool->intents.size());
  std::vector<Phrase> out;
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (const GivenTool* tool : tools) {
      if (turn < tool->intents.size()) out.emplace_back(keys.find(tool->key), tool->intents[turn]);
    }
  }
  return out;
}

}  // namespace

ToolIndex::ToolIndex() : catalog_(CatalogDraft().finish()) {}

void ToolIndex::put(std::span<const GivenTool> tools) {
  GrowingVocabulary keys;
  CatalogDraft draft;
  std::vector<const GivenTool*> order;
  for (const GivenTool& tool : tools) {
    if (keys.find(tool.key) != kNone) {
      throw std::invalid_argument("tools must have keys of their own, got '" +
                                  std::string(tool.key) + "' twice");
    }
    keys.add(tool.key);
    draft.add({tool.key, tool.name, tool.doc});
    order.push_back(&tool);
  }
  std::ranges::sort(order, {}, &GivenTool::key);
  std::unique_lock lock(mutex_);
  draft.add(catalog_, keys);
  Catalog catalog = draft.finish();
  Experience experience = experience_of(catalog);
  for (const GivenTool* tool : order) {
    if (tool->history < 0.0) continue;
    const std::uint32_t id = catalog.keys.find(tool->key);
    Record record = experience.record(id);
    record.given = tool->history;
    experience.set_record(id, record);
  }
  experience.teach(in_turns(order, catalog.keys), catalog.tools());
  replace(std::move(catalog), std::move(experience));
}

// What is known, with the tools numbered as in the catalog.
Experience ToolIndex::experience_of(const Catalog& catalog) const {
  Experience experience = experience_.copy();
  if (catalog_.tools() == 0) return experience;
  std::vector<std::uint32_t> tools;
  for (std::uint32_t tool = 0; tool < catalog_.tools(); ++tool)
    tools.push_back(catalog.keys.find(catalog_.keys.text(tool)));
  experience.renumber(tools);
  return experience;
}

void ToolIndex::replace(Catalog catalog, Experience experience) noexcept {
  catalog_ = std::move(catalog);
  experience_ = std::move(experience);
  mapped_.reset();
}

bool ToolIndex::remove(std::string_view key) {
  std::unique_lock lock(mutex_);
  if (catalog_.keys.find(key) == kNone) return false;
  GrowingVocabulary without;
  without.add(key);
  CatalogDraft draft;
  draft.add(catalog_, without);
  Catalog catalog = draft.finish();
  Experience experience = experience_of(catalog);
  replace(std::move(catalog), std::move(experience));
  return true;
}

std::uint32_t ToolIndex::size() const {
  std::shared_lock lock(mutex_);
  return catalog_.tools();
}

bool ToolIndex::contains(std::string_view key) const {
  std::shared_lock lock(mutex_);
  return catalog_.keys.find(key) != kNone;
}

std::vector<std::string> ToolIndex::keys() const {
  std::shared_lock lock(mutex_);
  std::vector<std::string> out;
  for (std::uint32_t tool = 0; tool < catalog_.tools(); ++tool)
    out.emplace_back(catalog_.keys.text(tool));
  return out;
}

Told ToolIndex::rank(Question question,
                     std::span<const std::pair<std::string, double>> similarities,
                     std::span<const std::pair<std::string, double>> successes) const {
  std::shared_lock lock(mutex_);
  std::vector<double> by_tool;
  if (!similarities.empty()) {
    by_tool.resize(catalog_.tools());
    for (const auto& [key, similarity] : similarities) {
      const std::uint32_t tool = catalog_.keys.find(key);
      if (tool != kNone) by_tool[tool] = similarity;
    }
    question.similarities = by_tool;
  }
  std::vector<double> success_by_tool;
  if (!successes.empty()) {
    for (std::uint32_t tool = 0; tool < catalog_.tools(); ++tool)
      success_by_tool.push_back(experience_.record(tool).success(question.now));
    for (const auto& [key, success] : successes) {
      const std::uint32_t tool = catalog_.keys.find(key);
      if (tool != kNone) success_by_tool[tool] = success;
    }
    question.successes = success_by_tool;
  }
  Ranking ranking = routing::rank(catalog_, experience_, question);
  Told out{{}, ranking.learned, ranking.evidence};
  for (Ranked& ranked : ranking.tools) {
    ToldTool told{std::string(catalog_.keys.text(ranked.tool)), std::move(ranked), {}, {}};
    if (told.ranked.nearest != kNone)
      told.nearest = experience_.phrasings()[told.ranked.nearest].text;
    told.record = experience_.record(told.ranked.tool).faded(question.now);
    out.tools.push_back(std::move(told));
  }
  return out;
}

double ToolIndex::relevance(std::string_view intent, const Calibration& calibration, bool relatives,
                            bool word_vectors) const {
  std::shared_lock lock(mutex_);
  return routing::relevance(catalog_, experience_, intent, calibration, relatives, word_vectors);
}

bool ToolIndex::accept(std::string_view intent, std::string_view key, const Moment& now) {
  std::unique_lock lock(mutex_);
  const std::uint32_t tool = catalog_.keys.find(key);
  if (tool != kNone) experience_.accept(tool, intent, catalog_.tools(), now);
  return tool != kNone;
}

bool ToolIndex::reject(std::string_view intent, std::string_view key, const Moment& now) {
  std::unique_lock lock(mutex_);
  const std::uint32_t tool = catalog_.keys.find(key);
  if (tool != kNone) experience_.reject(tool, intent, now);
  return tool != kNone;
}

std::string ToolIndex::save() const {
  std::shared_lock lock(mutex_);
  IndexWriter writer;
  const SavedExperience experience(experience_);
  write(catalog_, writer);
  experience.write(writer);
  return writer.bytes();
}

void ToolIndex::load(const std::string& path) {
  auto mapped = std::make_shared<const MappedIndex>(path);
  Catalog catalog = read_catalog(*mapped);
  Experience experience = SavedExperience::read(*mapped, catalog.tools());
  std::unique_lock lock(mutex_);
  catalog_ = std::move(catalog);
  experience_ = std::move(experience);
  mapped_ = std::move(mapped);
}

}  // namespace prefrontal::routing
