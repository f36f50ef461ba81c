#include "csrc/routing/candidates.hpp"

#include <algorithm>
#include <cstddef>

namespace prefrontal::routing {
namespace {

constexpr double kRounding = 2e-6;  // more than rounding to millionths moves a score
// Times the tools that are asked for: read at once, and the best of what is refined for that.
constexpr std::size_t kAtOnce = 2;
constexpr std::size_t kPool = 4;

using Bound = Bounds::Bound;

std::vector<std::uint32_t> tools_of(const std::vector<Bound>& bounds) {
  std::vector<std::uint32_t> out;
  for (const Bound& bound : bounds) out.push_back(bound.tool);
  return out;
}

class Search {
 public:
  Search(const Catalog& catalog, Description& description, std::size_t most, const Mixture& mixture,
         std::span<const std::uint32_t> known)
      : description_(description),
        most_(most),
        mixture_(mixture),
        bounds_(catalog, description, mixture, known) {}

  std::vector<std::uint32_t> found(std::uint32_t tools, std::span<const std::uint32_t> known) {
    std::vector<std::uint32_t> first = tools_of(promising(bounds_.largest(kPool * most_)));
    first.insert(first.end(), known.begin(), known.end());
    read(std::move(first));
    // The more they reach, the fewer others have a chance.
    std::vector<Bound> others = left(bounds_.reaching(reached() - kRounding));
    if (others.size() > kAtOnce * most_) {
      read(tools_of(promising(others)));
      others = left(std::move(others));
    }
    read(tools_of(others));
    if (reached() <= kRounding) read(untouched(tools));
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  std::vector<Bound> promising(std::vector<Bound> bounds) const {
    const std::size_t n = std::min(kAtOnce * most_, bounds.size());
    const auto nth = bounds.begin() + static_cast<std::ptrdiff_t>(n);
    std::ranges::nth_element(bounds, nth, std::ranges::greater(), &Bound::most);
    bounds.resize(n);
    return bounds;
  }
  // Those that were not read and may be among the best.
  std::vector<Bound> left(std::vector<Bound> bounds) const {
    const double least = reached() - kRounding;
    std::erase_if(bounds, [&](const Bound& bound) {
      return bound.most < least || description_.has(bound.tool);
    });
    return bounds;
  }
  // What the last one of the best has at least; 0 where there are fewer.
  double reached() const {
    std::vector<double> values;
    for (const std::uint32_t tool : found_) {
      if (!bounds_.is_zero(tool))  // not a known one
        values.push_back(mixture_.added(description_.name(tool), description_.text(tool)));
    }
    if (most_ > values.size()) return 0.0;
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
    std::ranges::nth_element(values, nth, std::ranges::greater());
    return *nth;
  }

  void read(std::vector<std::uint32_t> tools) {
    if (tools.empty()) return;
    std::ranges::sort(tools);
    description_.read(tools);
    found_.insert(found_.end(), tools.begin(), tools.end());
  }
  // Those that no word touches are all alike: the first few are enough.
  std::vector<std::uint32_t> untouched(std::uint32_t tools) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t tool = 0; tool < tools && out.size() < most_; ++tool) {
      if (bounds_.is_zero(tool) && !description_.has(tool)) out.push_back(tool);
    }
    return out;
  }

  Description& description_;
  std::size_t most_;
  const Mixture& mixture_;
  Bounds bounds_;
  std::vector<std::uint32_t> found_;
};

}  // namespace

std::vector<std::uint32_t> candidates(const Catalog& catalog, Description& description,
                                      std::size_t most, const Mixture& mixture,
                                      std::span<const std::uint32_t> known) {
  return Search(catalog, description, most, mixture, known).found(catalog.tools(), known);
}

}  // namespace prefrontal::routing
