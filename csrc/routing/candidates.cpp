#include "csrc/routing/candidates.hpp"

#include <algorithm>
#include <cstddef>

namespace prefrontal::routing {
namespace {

constexpr double kRounding = 2e-6;  // more than rounding to millionths moves a score

// The `n`-th largest, or 0 where there are fewer.
double largest(std::vector<double> values, std::size_t n) {
  if (n > values.size()) return 0.0;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(n - 1);
  std::ranges::nth_element(values, nth, std::ranges::greater());
  return *nth;
}

class Search {
 public:
  Search(const Catalog& catalog, Description& description, std::size_t most, const Mixture& mixture,
         std::span<const std::uint32_t> known)
      : description_(description),
        most_(most),
        mixture_(mixture),
        estimates_(catalog, description, mixture, known),
        margin_(kRounding + 2.0 * estimates_.error()) {}

  std::vector<std::uint32_t> found(std::uint32_t tools, std::span<const std::uint32_t> known) {
    std::vector<std::uint32_t> first =
        estimates_.reaching(estimates_.near_largest(most_) - margin_);
    const double estimated = reached(first);
    std::erase_if(first, [&](std::uint32_t tool) {
      return static_cast<double>(estimates_[tool]) < estimated - margin_;
    });
    first.insert(first.end(), known.begin(), known.end());
    read(std::move(first));
    // What they reach in fact; the less it is, the more others have a chance.
    const double measured = reached();
    if (measured < estimated) read(estimates_.reaching(measured - margin_));
    if (std::min(estimated, measured) <= margin_) read(untouched(tools));
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  double reached(const std::vector<std::uint32_t>& tools) const {
    std::vector<double> values;
    for (const std::uint32_t tool : tools) values.push_back(static_cast<double>(estimates_[tool]));
    return largest(std::move(values), most_);
  }
  double reached() const {
    std::vector<double> values;
    for (const std::uint32_t tool : found_) {
      if (estimates_[tool] > 0.0F)  // not a known one
        values.push_back(mixture_.added(description_.name(tool), description_.text(tool)));
    }
    return largest(std::move(values), most_);
  }

  void read(std::vector<std::uint32_t> tools) {
    std::erase_if(tools, [&](std::uint32_t tool) { return description_.has(tool); });
    std::ranges::sort(tools);
    description_.read(tools);
    found_.insert(found_.end(), tools.begin(), tools.end());
  }
  // Those that no word touches are all alike: the first few are enough.
  std::vector<std::uint32_t> untouched(std::uint32_t tools) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t tool = 0; tool < tools && out.size() < most_; ++tool) {
      if (estimates_[tool] == 0.0F && !description_.has(tool)) out.push_back(tool);
    }
    return out;
  }

  Description& description_;
  std::size_t most_;
  const Mixture& mixture_;
  Estimates estimates_;
  double margin_;
  std::vector<std::uint32_t> found_;
};

}  // namespace

std::vector<std::uint32_t> candidates(const Catalog& catalog, Description& description,
                                      std::size_t most, const Mixture& mixture,
                                      std::span<const std::uint32_t> known) {
  return Search(catalog, description, most, mixture, known).found(catalog.tools(), known);
}

}  // namespace prefrontal::routing
