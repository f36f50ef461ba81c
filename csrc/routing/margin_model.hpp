// Which tool a prompt asks for, learned online by margins: one weight for each tool and word, and
// for each tool and pair of words that stand next to each other.
//
//   z_i = sum of x_t W[t, i], x of a pair .6 times the mean of its words'
//
// A step moves the right tool towards 1 where it is below and those of the eight highest others
// that are above 0 towards it: the squared hinge, g = x (z - aim), by AdaGrad. Pairs that such a
// tool has no weight for get none: they would be half of all weights and tell nothing. Margins
// order tools better than the shares of linear_model.hpp, which tell better whether any is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "csrc/routing/cells.hpp"

namespace prefrontal::routing {

// The words of a prompt and the pairs of them.
class Features {
 public:
  using Key = std::uint64_t;

  // The next word; `follows` where it stands right behind the last one.
  void add(std::uint32_t word, double x, bool follows);

  std::size_t size() const { return keys_.size(); }
  Key key(std::size_t i) const { return keys_[i]; }
  double x(std::size_t i) const { return x_[i]; }
  // Both words of a key; they are the same where it is one.
  static std::pair<std::uint32_t, std::uint32_t> words(Key key);

 private:
  std::vector<Key> keys_;
  std::vector<double> x_;
  std::size_t last_ = 0;  // the place of the last word
};

// Of the tools that a feature of the prompt has weights for, ascending; 0 of each of the others.
struct Margins {
  std::vector<std::uint32_t> tools;
  std::vector<double> of;

  double margin(std::uint32_t tool) const;
};

class MarginModel {
 public:
  // `tools` counts all there are.
  Margins margins(const Features& features, std::uint32_t tools) const;
  void learn(const Features& features, std::uint32_t tools, std::uint32_t right);
  // One step that moves `wrong` towards 0; the other tools keep their weights.
  void unlearn(const Features& features, std::uint32_t wrong);
  // Rows as they were before steps, the latest last; none where there was none.
  using Past = std::vector<std::pair<Features::Key, std::optional<Row>>>;
  void keep(const Features& features, Past& past) const;
  void undo(Past past) noexcept;
  // Numbers the tools anew; kNone drops a tool.
  void renumber(const std::vector<std::uint32_t>& tools);

  // Ascending keys with their rows.
  std::vector<std::pair<Features::Key, const Row*>> rows() const;
  void set_row(Features::Key key, Row row) { rows_[key] = std::move(row); }

 private:
  void step(const Features& features, std::uint32_t tool, double slope);
  bool has(Features::Key key, std::uint32_t tool) const;

  std::unordered_map<Features::Key, Row> rows_;
};

}  // namespace prefrontal::routing
