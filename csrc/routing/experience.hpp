// What use has taught: phrasings, refusals, two linear models and each tool's record.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/routing/history.hpp"
#include "csrc/routing/intent.hpp"
#include "csrc/routing/linear_model.hpp"
#include "csrc/routing/margin_model.hpp"
#include "csrc/routing/phrasings.hpp"

namespace prefrontal::routing {

// A prompt that a tool was refused for.
struct Refusal {
  std::vector<std::string> stems;  // each once
  std::string text;
};

class Experience {
 public:
  Experience() = default;
  Experience(Experience&&) = default;
  Experience& operator=(Experience&&) = default;
  Experience copy() const;

  // What throws of the next two changes nothing; of the others a copy is to be given up.
  // A prompt that was right for the tool: kept, learned, and four older ones learned again.
  void accept(std::uint32_t tool, std::string_view text, std::uint32_t tools, const Moment& now);
  // One that was wrong for it.
  void reject(std::uint32_t tool, std::string_view text, const Moment& now);
  // Phrasings given with the tools, in this order; the new ones are learned six times in turns.
  void teach(std::span<const std::pair<std::uint32_t, std::string_view>> given,
             std::uint32_t tools);
  void set_record(std::uint32_t tool, const Record& record);
  // Numbers the tools anew; kNone forgets a tool.
  void renumber(const std::vector<std::uint32_t>& tools);

  const Phrasings& phrasings() const { return phrasings_; }
  const LinearModel& shares_model() const { return shares_; }
  const MarginModel& margin_model() const { return margins_; }
  const std::map<std::uint32_t, std::vector<Refusal>>& refusals() const { return refusals_; }
  const std::map<std::uint32_t, Record>& records() const { return records_; }
  const Record& record(std::uint32_t tool) const {
    if (tool >= slots_.size() || slots_[tool] == nullptr) return untried_;
    return *slots_[tool];
  }
  // The largest cosine between the prompt and those that the tool was refused for.
  double refused(std::uint32_t tool, const Intent& intent) const;

 private:
  friend class SavedExperience;
  Experience(const Experience&) = default;
  // Of both models, before steps.
  struct Past {
    LinearModel::Past shares;
    MarginModel::Past margins;
  };
  // past: of what was learned; none where nobody asks for it.
  void learn(std::uint32_t phrasing, std::uint32_t tools, Past* past);
  void learn_older(std::uint32_t newest, std::uint32_t tools, Past& past);
  void undo(Past past) noexcept;
  // Margins anew from all phrasings.
  void learn_margins(std::uint32_t tools);
  void index_records();

  Phrasings phrasings_;
  LinearModel shares_;
  MarginModel margins_;
  std::map<std::uint32_t, std::vector<Refusal>> refusals_;  // oldest first
  std::map<std::uint32_t, Record> records_;
  std::vector<const Record*> slots_;  // by tool, as far as there are records
  Record untried_;
  std::uint32_t cursor_ = 0;  // the phrasing that is learned again next
};

}  // namespace prefrontal::routing
