// Rows by number; a number that is free again is taken first.
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/simd/room.hpp"

namespace prefrontal::cortex {

template <class Row>
class Rows {
 public:
  // The empty row that `take` gives next; until then it is nobody's.
  Row& next() {
    if (free_.empty()) {
      if (free_.capacity() <= rows_.size()) free_.reserve(2 * rows_.size() + 8);
      rows_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(rows_.size() - 1));
    }
    return rows_[free_.back()];
  }
  // After `next`.
  std::uint32_t take() noexcept {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) noexcept {
    rows_[slot] = {};
    free_.push_back(slot);  // there is room for the number of every row
  }

  Row& operator[](std::uint32_t slot) { return rows_[slot]; }
  const Row& operator[](std::uint32_t slot) const { return rows_[slot]; }

 private:
  std::vector<Row> rows_;
  std::vector<std::uint32_t> free_;
};

}  // namespace prefrontal::cortex
