// At most how much the words of a prompt add to the raw score of every tool.
//
// The lists of the prompt's words are added up for all tools in whole units of 16 bits, which are
// rounded up; only tools whose bound leaves them a chance are measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csrc/routing/description.hpp"

namespace prefrontal::routing {

// Weights of a tool's name and description in its raw score.
struct Mixture {
  double name;
  double text;

  double added(double name_part, double text_part) const {
    return name * name_part + text * text_part;
  }
};

class Bounds {
 public:
  // Those of `known` tools are 0.
  Bounds(const Catalog& catalog, const Description& description, const Mixture& mixture,
         std::span<const std::uint32_t> known);
  ~Bounds();
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;

  struct Bound {
    double most;
    std::uint32_t tool;
  };
  double operator[](std::uint32_t tool) const;
  bool is_zero(std::uint32_t tool) const { return texts_[tool] == 0 && names_[tool] == 0; }
  // Tools among which are those of the `n` largest bounds, mostly not many more; all that are not
  // 0 where there are fewer.
  std::vector<Bound> largest(std::size_t n) const;
  // Those above 0 and not below `least`, ascending.
  std::vector<Bound> reaching(double least) const;

 private:
  using Units = std::int16_t;  // SSE2 knows the greater of signed ones

  void add_texts(const Description& description);
  void add_names(const Description& description);
  void find_highest();
  // At most what a text of so many units adds, with its gain for covering what was asked.
  double text_bound(int units) const;
  // The fewest units that make up `least`, with that.
  int fewest(double least) const;
  // Of the blocks that reach so many units.
  std::vector<Bound> of_blocks(int lowest, double least) const;

  const Catalog& catalog_;
  Mixture mixture_;
  double asked_;
  double unit_;     // how many make up 1
  double of_unit_;  // what one is in a score, and as a share of what was asked
  double share_of_unit_;
  std::vector<Units>& texts_;   // by tool, kept between prompts, as are
  std::vector<Units>& names_;   // which share of what was asked the name has
  std::vector<Units> highest_;  // of each block, as if each name had no word but these
};

}  // namespace prefrontal::routing
