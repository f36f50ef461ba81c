// Weights of tools, as the models that are learned online keep them: sparse rows, one for each
// feature of a prompt, moved by AdaGrad (Duchi et al., JMLR 2011).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace prefrontal::routing {

struct Cell {
  std::uint32_t tool;
  float weight;
  float energy;  // sum of squared steps
};

using Row = std::vector<Cell>;  // in the order of the tools

struct StepSize {
  double rate;
  float first_energy;
};

// 0 where the row has none.
double weight(const Row& row, std::uint32_t tool);

// W -= rate g / sqrt(G), G the sum of g^2 so far. Adds the cell where the row has none.
void adapt(Row& row, std::uint32_t tool, double g, const StepSize& size);

// Numbers the tools anew; kNone drops a tool.
void renumber(Row& row, const std::vector<std::uint32_t>& tools);

// Sums by tool over rows. A thread has one at a time.
class ToolSums {
 public:
  explicit ToolSums(std::uint32_t tools);
  ~ToolSums();
  ToolSums(const ToolSums&) = delete;
  ToolSums& operator=(const ToolSums&) = delete;

  void add(std::span<const Cell> row, double x);
  // Those that a row has, ascending.
  std::vector<std::uint32_t> tools() const;
  double operator[](std::uint32_t tool) const { return lists_.sums[tool]; }

 private:
  struct Lists {
    std::vector<double> sums;  // by tool, as are
    std::vector<char> seen;    // those that a row has
    std::vector<std::uint32_t> touched;
  };
  static Lists& lists();

  Lists& lists_;  // zeros and nothing touched between two uses
};

}  // namespace prefrontal::routing
