// Which tool the words of a prompt ask for, learned online: one weight for each word and tool.
//
//   z_i = sum of x_t W[t, i],  P_i = e^z_i / (1 + sum over all tools of e^z_j)
//
// The leading 1 is "none of them". A step moves the weights of the right tool and of the eight
// likeliest others by g = x (P - y).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "csrc/routing/cells.hpp"

namespace prefrontal::routing {

// Shares of the tools that a word of the prompt has weights for, in the order of the tools, and
// of each of the others.
struct Shares {
  std::vector<std::uint32_t> tools;
  std::vector<double> of;
  double other = 0.0;

  double share(std::uint32_t tool) const;
};

class LinearModel {
 public:
  // `words` and `x` go together; `tools` counts all there are.
  Shares shares(std::span<const std::uint32_t> words, std::span<const double> x,
                std::uint32_t tools) const;
  void learn(std::span<const std::uint32_t> words, std::span<const double> x, std::uint32_t tools,
             std::uint32_t right);
  // One logistic step that makes `wrong` less likely; the other tools keep their weights.
  void unlearn(std::span<const std::uint32_t> words, std::span<const double> x,
               std::uint32_t wrong);
  // Rows as they were before steps, the latest last.
  struct Past {
    std::size_t words = 0;
    std::vector<std::pair<std::uint32_t, Row>> rows;
  };
  Past past() const { return {rows_.size(), {}}; }
  void keep(std::span<const std::uint32_t> words, Past& past) const;
  void undo(Past past) noexcept;
  // Numbers the tools anew; kNone drops a tool.
  void renumber(const std::vector<std::uint32_t>& tools);

  const std::vector<Row>& rows() const { return rows_; }
  void set_rows(std::vector<Row> rows) { rows_ = std::move(rows); }

 private:
  void step(std::span<const std::uint32_t> words, std::span<const double> x, std::uint32_t tool,
            double slope);

  std::vector<Row> rows_;  // by word
};

}  // namespace prefrontal::routing
