// About how much the words of a prompt add to the raw score of every tool.
//
// All lists of words are added up for all tools, in single precision: that costs less than bounds
// by which lists can be left out, for a prompt's lists are short or bound little.
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

class Estimates {
 public:
  // Those of `known` tools are 0.
  Estimates(const Catalog& catalog, const Description& description, const Mixture& mixture,
            std::span<const std::uint32_t> known);
  ~Estimates();
  Estimates(const Estimates&) = delete;
  Estimates& operator=(const Estimates&) = delete;

  float operator[](std::uint32_t tool) const;
  // An estimate is at most so far from what it estimates.
  double error() const { return error_; }
  // At most the `n`-th largest estimate and mostly near it; 0 where that is not told.
  double near_largest(std::size_t n) const;
  // The tools of estimates above 0 and not below `least`, in no order.
  std::vector<std::uint32_t> reaching(double least) const;

 private:
  void add_texts(const Catalog& catalog, const Description& description);
  void add_names(const Catalog& catalog, const Description& description, float weight);
  void find_highest();

  std::span<const std::uint32_t> known_;
  float text_weight_;
  std::vector<float>& texts_;         // kept between prompts, as are
  std::vector<float>& names_;         // what the name adds, by tool
  std::vector<std::uint32_t> named_;  // tools to whose name something was added
  std::vector<float> highest_;        // of each lane
  double error_ = 0.0;
};

}  // namespace prefrontal::routing
