// Names of peers, each kept once however many agents know it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "csrc/cortex/rows.hpp"
#include "csrc/cortex/slot_table.hpp"

namespace prefrontal::cortex {

inline constexpr std::size_t kLongestName = 1024;  // bytes

class Names {
 public:
  // The slot of the name, or kNone.
  std::uint32_t find(std::string_view name) const {
    return table_.find(hash(name), [&](std::uint32_t slot) { return rows_[slot].text == name; });
  }

  // The slot of the name, with one more holder. What throws changes nothing.
  std::uint32_t hold(std::string_view name) {
    std::uint32_t slot = find(name);
    if (slot == kNone) slot = add(name);
    ++rows_[slot].holders;
    return slot;
  }

  // One holder less; a name without any is forgotten.
  void let_go(std::uint32_t slot) noexcept {
    Row& row = rows_[slot];
    if (--row.holders > 0) return;
    table_.erase(hash(row.text), slot, [this](std::uint32_t s) { return hash(rows_[s].text); });
    rows_.give_back(slot);
  }

  const std::string& operator[](std::uint32_t slot) const { return rows_[slot].text; }

 private:
  struct Row {
    std::string text;
    std::uint32_t holders = 0;
  };

  static std::uint64_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }

  std::uint32_t add(std::string_view name) {
    std::string text(name);
    table_.make_room([this](std::uint32_t s) { return hash(rows_[s].text); });
    rows_.next().text.swap(text);
    const std::uint32_t slot = rows_.take();
    table_.insert(hash(name), slot);
    return slot;
  }

  Rows<Row> rows_;
  SlotTable table_;
};

}  // namespace prefrontal::cortex
