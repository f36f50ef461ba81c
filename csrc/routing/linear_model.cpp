#include "csrc/routing/linear_model.hpp"

#include <algorithm>
#include <cmath>

#include "csrc/simd/exponential.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::size_t kOthers = 8;
constexpr StepSize kStep{1.0, 0.01F};

// The tools that a step moves besides the right one: the likeliest, lower numbers among equals.
std::vector<std::uint32_t> likeliest(const Shares& shares, std::uint32_t tools,
                                     std::uint32_t right) {
  std::vector<std::pair<double, std::uint32_t>> above;  // (-share, tool)
  std::vector<std::pair<double, std::uint32_t>> below;
  std::vector<std::uint32_t> passed;  // not to be taken as one of the others
  for (std::size_t i = 0; i < shares.tools.size(); ++i) {
    const std::uint32_t tool = shares.tools[i];
    if (tool == right || shares.of[i] == shares.other) continue;
    (shares.of[i] > shares.other ? above : below).emplace_back(-shares.of[i], tool);
    passed.push_back(tool);
  }
  std::vector<std::uint32_t> out;
  const auto take = [&](std::vector<std::pair<double, std::uint32_t>>& from) {
    const std::size_t n = std::min(kOthers - out.size(), from.size());
    std::partial_sort(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n), from.end());
    for (std::size_t i = 0; i < n; ++i) out.push_back(from[i].second);
  };
  take(above);
  std::size_t at = 0;
  for (std::uint32_t tool = 0; tool < tools && out.size() < kOthers; ++tool) {
    while (at < passed.size() && passed[at] < tool) ++at;
    const bool taken = at < passed.size() && passed[at] == tool;
    if (!taken && tool != right) out.push_back(tool);
  }
  take(below);
  return out;
}

}  // namespace

double Shares::share(std::uint32_t tool) const {
  const auto at = std::ranges::lower_bound(tools, tool);
  return at == tools.end() || *at != tool ? other
                                          : of[static_cast<std::size_t>(at - tools.begin())];
}

Shares LinearModel::shares(std::span<const std::uint32_t> words, std::span<const double> x,
                           std::uint32_t tools) const {
  ToolSums sums(tools);
  Shares out;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] < rows_.size()) sums.add(rows_[words[i]], x[i]);
  out.tools = sums.tools();
  double highest = 0.0;
  for (const std::uint32_t tool : out.tools) highest = std::max(highest, sums[tool]);
  const double rest = simd::exponential(-highest);
  double sum = (1.0 + static_cast<double>(tools - out.tools.size())) * rest;
  for (const std::uint32_t tool : out.tools) {
    out.of.push_back(simd::exponential(sums[tool] - highest));
    sum += out.of.back();
  }
  for (double& share : out.of) share /= sum;
  out.other = rest / sum;
  return out;
}

void LinearModel::learn(std::span<const std::uint32_t> words, std::span<const double> x,
                        std::uint32_t tools, std::uint32_t right) {
  const Shares now = shares(words, x, tools);
  const std::vector<std::uint32_t> others = likeliest(now, tools, right);
  step(words, x, right, now.share(right) - 1.0);
  for (const std::uint32_t tool : others) step(words, x, tool, now.share(tool));
}

void LinearModel::unlearn(std::span<const std::uint32_t> words, std::span<const double> x,
                          std::uint32_t wrong) {
  double z = 0.0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] < rows_.size()) z += x[i] * weight(rows_[words[i]], wrong);
  step(words, x, wrong, simd::logistic(z));
}

void LinearModel::keep(std::span<const std::uint32_t> words, Past& past) const {
  for (const std::uint32_t word : words)
    if (word < rows_.size()) past.rows.emplace_back(word, rows_[word]);
}

void LinearModel::undo(Past past) noexcept {
  for (; !past.rows.empty(); past.rows.pop_back())
    rows_[past.rows.back().first].swap(past.rows.back().second);
  rows_.resize(std::min(rows_.size(), past.words));
}

void LinearModel::step(std::span<const std::uint32_t> words, std::span<const double> x,
                       std::uint32_t tool, double slope) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] >= rows_.size()) rows_.resize(words[i] + 1);
    adapt(rows_[words[i]], tool, x[i] * slope, kStep);
  }
}

void LinearModel::renumber(const std::vector<std::uint32_t>& tools) {
  for (Row& row : rows_) routing::renumber(row, tools);
}

}  // namespace prefrontal::routing
