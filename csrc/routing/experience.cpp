#include "csrc/routing/experience.hpp"

#include <algorithm>

#include "csrc/simd/room.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::size_t kMostRefusals = 200;  // of one tool
constexpr int kOlder = 4;                   // phrasings learned again with each new one
constexpr int kPasses = 6;

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

Experience Experience::copy() const {
  Experience out(*this);
  out.index_records();  // theirs, not these
  return out;
}

void Experience::learn(std::uint32_t phrasing, std::uint32_t tools, Past* past) {
  const Phrasings::Phrasing& learned = phrasings_[phrasing];
  const std::vector<double> x = phrasings_.x_of(learned);
  const Features features = phrasings_.features_of(learned, x);
  if (past != nullptr) {
    shares_.keep(learned.words, past->shares);
    margins_.keep(features, past->margins);
  }
  shares_.learn(learned.words, x, tools, learned.tool);
  margins_.learn(features, tools, learned.tool);
}

void Experience::learn_margins(std::uint32_t tools) {
  margins_ = MarginModel();
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::uint32_t id = 0; id < phrasings_.slots(); ++id) {
      const Phrasings::Phrasing& learned = phrasings_[id];
      if (learned.tool == kNone) continue;
      margins_.learn(phrasings_.features_of(learned, phrasings_.x_of(learned)), tools,
                     learned.tool);
    }
  }
}

void Experience::undo(Past past) noexcept {
  shares_.undo(std::move(past.shares));
  margins_.undo(std::move(past.margins));
}

void Experience::learn_older(std::uint32_t newest, std::uint32_t tools, Past& past) {
  if (phrasings_.size() < 2) return;
  for (int i = 0; i < kOlder;) {
    if (cursor_ >= phrasings_.slots()) cursor_ = 0;
    const std::uint32_t next = cursor_++;
    if (phrasings_[next].tool == kNone || next == newest) continue;
    learn(next, tools, &past);
    ++i;
  }
}

void Experience::accept(std::uint32_t tool, std::string_view text, std::uint32_t tools,
                        const Moment& now) {
  const Intent intent(text);
  Record record = this->record(tool).faded(now);
  record.ok += 1.0;
  if (intent.tokens.empty()) return set_record(tool, record);
  const std::vector<std::string> stems = stems_of(intent);
  Past past{shares_.past(), {}};
  const std::uint32_t cursor = cursor_;
  Phrasings::Change change = phrasings_.add(tool, intent, text);
  try {
    phrasings_.refresh();
    learn(change.added, tools, &past);
    learn_older(change.added, tools, past);
    set_record(tool, record);
  } catch (...) {
    cursor_ = cursor;
    undo(std::move(past));
    phrasings_.undo(std::move(change));
    throw;
  }
  if (const auto own = refusals_.find(tool); own != refusals_.end()) {
    forget_equal(own->second, stems);
    if (own->second.empty()) refusals_.erase(own);
  }
}

void Experience::reject(std::uint32_t tool, std::string_view text, const Moment& now) {
  const Intent intent(text);
  Record record = this->record(tool).faded(now);
  record.failed += 1.0;
  if (intent.tokens.empty()) return set_record(tool, record);
  Refusal refusal{stems_of(intent), std::string(text)};
  std::vector<Refusal>& own = refusals_[tool];  // one that stays empty says nothing
  simd::make_room(1, own);
  Past past{shares_.past(), {}};
  Phrasings::Change change = phrasings_.remove(tool, intent);
  try {
    if (change.removed != kNone) phrasings_.refresh();
    const Asked asked = phrasings_.ask(intent);
    shares_.keep(asked.words, past.shares);
    margins_.keep(asked.features, past.margins);
    shares_.unlearn(asked.words, asked.x, tool);
    margins_.unlearn(asked.features, tool);
    set_record(tool, record);
  } catch (...) {
    undo(std::move(past));
    phrasings_.undo(std::move(change));
    throw;
  }
  forget_equal(own, refusal.stems);
  if (own.size() == kMostRefusals) own.erase(own.begin());
  own.push_back(std::move(refusal));
}

void Experience::teach(std::span<const std::pair<std::uint32_t, std::string_view>> given,
                       std::uint32_t tools) {
  std::vector<std::uint32_t> taught;
  for (const auto& [tool, text] : given) {
    const Intent intent(text);
    if (intent.tokens.empty()) continue;
    const std::uint32_t fresh = phrasings_.slots();
    if (phrasings_.add(tool, intent, text).added == fresh) taught.push_back(fresh);
  }
  phrasings_.refresh();
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const std::uint32_t id : taught) {
      if (phrasings_[id].tool != kNone) learn(id, tools, nullptr);
    }
  }
}

void Experience::set_record(std::uint32_t tool, const Record& record) {
  if (tool >= slots_.size()) slots_.resize(tool + 1, nullptr);
  slots_[tool] = &records_.insert_or_assign(tool, record).first->second;
}

void Experience::index_records() {
  slots_.assign(records_.empty() ? 0 : records_.rbegin()->first + 1, nullptr);
  for (const auto& [tool, record] : records_) slots_[tool] = &record;
}

void Experience::renumber(const std::vector<std::uint32_t>& tools) {
  phrasings_.renumber(tools);
  phrasings_.refresh();
  shares_.renumber(tools);
  margins_.renumber(tools);
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
