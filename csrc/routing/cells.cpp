#include "csrc/routing/cells.hpp"

#include <algorithm>
#include <cmath>

#include "csrc/routing/vocabulary.hpp"

namespace prefrontal::routing {

double weight(const Row& row, std::uint32_t tool) {
  const auto at = std::ranges::lower_bound(row, tool, {}, &Cell::tool);
  return at == row.end() || at->tool != tool ? 0.0 : static_cast<double>(at->weight);
}

void adapt(Row& row, std::uint32_t tool, double g, const StepSize& size) {
  auto at = std::ranges::lower_bound(row, tool, {}, &Cell::tool);
  if (at == row.end() || at->tool != tool) at = row.insert(at, {tool, 0.0F, size.first_energy});
  at->energy = static_cast<float>(static_cast<double>(at->energy) + g * g);
  at->weight = static_cast<float>(static_cast<double>(at->weight) -
                                  size.rate * g / std::sqrt(static_cast<double>(at->energy)));
}

void renumber(Row& row, const std::vector<std::uint32_t>& tools) {
  for (Cell& cell : row) cell.tool = tools[cell.tool];
  std::erase_if(row, [](const Cell& cell) { return cell.tool == kNone; });
  std::ranges::sort(row, {}, &Cell::tool);
}

ToolSums::Lists& ToolSums::lists() {
  thread_local Lists lists;
  return lists;
}

ToolSums::ToolSums(std::uint32_t tools) : lists_(lists()) {
  lists_.sums.resize(std::max<std::size_t>(lists_.sums.size(), tools), 0.0);
  lists_.seen.resize(std::max<std::size_t>(lists_.seen.size(), tools), 0);
}

ToolSums::~ToolSums() {
  for (const std::uint32_t tool : lists_.touched) lists_.sums[tool] = lists_.seen[tool] = 0;
  lists_.touched.clear();
}

void ToolSums::add(std::span<const Cell> row, double x) {
  for (const Cell& cell : row) {
    if (lists_.seen[cell.tool] == 0) {
      lists_.touched.push_back(cell.tool);
      lists_.seen[cell.tool] = 1;
    }
    lists_.sums[cell.tool] += x * static_cast<double>(cell.weight);
  }
}

std::vector<std::uint32_t> ToolSums::tools() const {
  std::vector<std::uint32_t> out = lists_.touched;
  std::ranges::sort(out);
  return out;
}

}  // namespace prefrontal::routing
