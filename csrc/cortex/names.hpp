// Names of peers, each kept once however many agents know it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/cortex/slot_table.hpp"

namespace prefrontal::cortex {

inline constexpr std::size_t kLongestName = 1024;  // bytes

class Names {
 public:
  // The slot of the name, or kNone.
  std::uint32_t find(std::string_view name) const {
    return table_.find(hash(name), [&](std::uint32_t slot) { return rows_[slot].text == name; });
  }

  // The slot of the name, with one more holder.
  std::uint32_t hold(std::string_view name) {
    std::uint32_t slot = find(name);
    if (slot == kNone) slot = add(name);
    ++rows_[slot].holders;
    return slot;
  }

  // One holder less; a name without any is forgotten.
  void let_go(std::uint32_t slot) {
    Row& row = rows_[slot];
    if (--row.holders > 0) return;
    table_.erase(hash(row.text), slot, [this](std::uint32_t s) { return hash(rows_[s].text); });
    row.text = {};
    free_.push_back(slot);
  }

  const std::string& operator[](std::uint32_t slot) const { return rows_[slot].text; }
  std::size_t slots() const { return rows_.size(); }

 private:
  struct Row {
    std::string text;
    std::uint32_t holders = 0;
  };

  static std::uint64_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }

  std::uint32_t add(std::string_view name) {
    std::uint32_t slot = static_cast<std::uint32_t>(rows_.size());
    if (free_.empty()) {
      rows_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    rows_[slot].text = name;
    table_.insert(hash(name), slot, [this](std::uint32_t s) { return hash(rows_[s].text); });
    return slot;
  }

  std::vector<Row> rows_;
  std::vector<std::uint32_t> free_;
  SlotTable table_;
};

}  // namespace prefrontal::cortex
