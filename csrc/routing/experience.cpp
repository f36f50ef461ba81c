#include "csrc/routing/experience.hpp"

#include <algorithm>

namespace prefrontal::routing {
namespace {

constexpr std::size_t kMostRefusals = 200;  // of one tool
constexpr int kOlder = 4;                   // phrasings learned again with each new one
constexpr int kPasses = 3;

std::vector<std::string> stems_of(const Intent& intent) {
  std::vector<std::string> stems;
  for (const Intent::Token& token : intent.tokens) stems.push_back(token.stem);
  return stems;
}

// True where one went.
bool forget_equal(std::vector<Refusal>& refusals, const std::vector<std::string>& stems) {
  return std::erase_if(refusals, [&](const Refusal& refusal) {
           return std::ranges::is_permutation(refusal.stems, stems);
         }) > 0;
}

}  // namespace

void Experience::learn(std::uint32_t phrasing, std::uint32_t tools) {
  const Phrasings::Phrasing& learned = phrasings_[phrasing];
  model_.learn(learned.words, phrasings_.x_of(learned), tools, learned.tool);
}

void Experience::learn_older(std::uint32_t newest, std::uint32_t tools) {
  if (phrasings_.size() < 2) return;
  for (int i = 0; i < kOlder;) {
    if (cursor_ >= phrasings_.slots()) cursor_ = 0;
    const std::uint32_t next = cursor_++;
    if (phrasings_[next].tool == kNone || next == newest) continue;
    learn(next, tools);
    ++i;
  }
}

void Experience::accept(std::uint32_t tool, std::string_view text, std::uint32_t tools,
                        const Moment& now) {
  const Intent intent(text);
  Record record = this->record(tool).faded(now);
  record.ok += 1.0;
  set_record(tool, record);
  if (intent.tokens.empty()) return;
  if (const auto own = refusals_.find(tool); own != refusals_.end()) {
    forget_equal(own->second, stems_of(intent));
    if (own->second.empty()) refusals_.erase(own);
  }
  const std::uint32_t id = phrasings_.add(tool, intent, text);
  phrasings_.refresh();
  learn(id, tools);
  learn_older(id, tools);
}

void Experience::reject(std::uint32_t tool, std::string_view text, const Moment& now) {
  const Intent intent(text);
  Record record = this->record(tool).faded(now);
  record.failed += 1.0;
  set_record(tool, record);
  if (intent.tokens.empty()) return;
  if (phrasings_.remove(tool, intent)) phrasings_.refresh();
  const Asked asked = phrasings_.ask(intent);
  model_.unlearn(asked.words, asked.x, tool);
  std::vector<Refusal>& own = refusals_[tool];
  const std::vector<std::string> stems = stems_of(intent);
  forget_equal(own, stems);
  if (own.size() == kMostRefusals) own.erase(own.begin());
  own.push_back({stems, std::string(text)});
}

void Experience::teach(std::span<const std::pair<std::uint32_t, std::string_view>> given,
                       std::uint32_t tools) {
  std::vector<std::uint32_t> taught;
  for (const auto& [tool, text] : given) {
    const Intent intent(text);
    if (intent.tokens.empty()) continue;
    const std::uint32_t fresh = phrasings_.slots();
    if (phrasings_.add(tool, intent, text) == fresh) taught.push_back(fresh);
  }
  phrasings_.refresh();
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const std::uint32_t id : taught) {
      if (phrasings_[id].tool != kNone) learn(id, tools);
    }
  }
}

void Experience::set_record(std::uint32_t tool, const Record& record) {
  Record& kept = records_[tool];
  kept = record;
  if (tool >= slots_.size()) slots_.resize(tool + 1, nullptr);
  slots_[tool] = &kept;
}

void Experience::index_records() {
  slots_.assign(records_.empty() ? 0 : records_.rbegin()->first + 1, nullptr);
  for (const auto& [tool, record] : records_) slots_[tool] = &record;
}

void Experience::renumber(const std::vector<std::uint32_t>& tools) {
  phrasings_.renumber(tools);
  phrasings_.refresh();
  model_.renumber(tools);
  std::map<std::uint32_t, std::vector<Refusal>> refusals;
  for (auto& [tool, own] : refusals_) {
    if (tools[tool] != kNone) refusals[tools[tool]] = std::move(own);
  }
  refusals_ = std::move(refusals);
  std::map<std::uint32_t, Record> records;
  for (const auto& [tool, record] : records_) {
    if (tools[tool] != kNone) records[tools[tool]] = record;
  }
  records_ = std::move(records);
  index_records();
}

double Experience::refused(std::uint32_t tool, const Intent& intent) const {
  const auto own = refusals_.find(tool);
  double most = 0.0;
  if (own == refusals_.end()) return most;
  for (const Refusal& refusal : own->second)
    most = std::max(most, phrasings_.cosine(refusal.stems, intent));
  return most;
}

}  // namespace prefrontal::routing
