// Sorts pairs of an agent's number and its slot by the number: a byte a pass, from the lowest, and
// none for bytes that all numbers share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace prefrontal::cortex {

using Listed = std::pair<std::int64_t, std::uint32_t>;

inline void sort_by_id(std::vector<Listed>& rows) noexcept {
  std::vector<Listed> sorted;
  try {
    if (rows.size() >= 256) sorted.resize(rows.size());
  } catch (const std::bad_alloc&) {  // without that memory it takes longer
  }
  if (sorted.empty()) {
    std::ranges::sort(rows);
    return;
  }
  // With the sign turned, negative numbers come first.
  const auto key = [](const Listed& row) {
    return static_cast<std::uint64_t>(row.first) ^ (std::uint64_t{1} << 63U);
  };
  std::uint64_t differ = 0;
  for (const Listed& row : rows) differ |= key(row) ^ key(rows.front());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if (((differ >> shift) & 0xFFU) == 0) continue;
    std::array<std::uint32_t, 257> starts{};
    for (const Listed& row : rows) ++starts[((key(row) >> shift) & 0xFFU) + 1];
    for (std::size_t byte = 1; byte < starts.size(); ++byte) starts[byte] += starts[byte - 1];
    for (const Listed& row : rows) sorted[starts[(key(row) >> shift) & 0xFFU]++] = row;
    rows.swap(sorted);
  }
}

}  // namespace prefrontal::cortex
