#include "csrc/routing/margin_model.hpp"

#include <algorithm>

namespace prefrontal::routing {
namespace {

constexpr std::size_t kRivals = 8;
constexpr double kPair = 0.6;
constexpr double kAim = 1.0;  // of the right tool
constexpr StepSize kMarginStep{0.5, 0.1F};

}  // namespace

// A word is the pair of itself: no prompt has one twice.
void Features::add(std::uint32_t word, double x, bool follows) {
  if (follows) {
    keys_.push_back(keys_[last_] << 32 | word);
    x_.push_back(kPair * 0.5 * (x_[last_] + x));
  }
  last_ = keys_.size();
  keys_.push_back(Key{word} << 32 | word);
  x_.push_back(x);
}

std::pair<std::uint32_t, std::uint32_t> Features::words(Key key) {
  return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
}

double Margins::margin(std::uint32_t tool) const {
  const auto at = std::ranges::lower_bound(tools, tool);
  return at == tools.end() || *at != tool ? 0.0 : of[static_cast<std::size_t>(at - tools.begin())];
}

Margins MarginModel::margins(const Features& features, std::uint32_t tools) const {
  ToolSums sums(tools);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto row = rows_.find(features.key(i));
    if (row != rows_.end()) sums.add(row->second, features.x(i));
  }
  Margins out{sums.tools(), {}};
  for (const std::uint32_t tool : out.tools) out.of.push_back(sums[tool]);
  return out;
}

void MarginModel::learn(const Features& features, std::uint32_t tools, std::uint32_t right) {
  const Margins now = margins(features, tools);
  std::vector<std::pair<double, std::uint32_t>> above;  // (-margin, tool)
  for (std::size_t i = 0; i < now.tools.size(); ++i) {
    if (now.tools[i] != right && now.of[i] > 0.0) above.emplace_back(-now.of[i], now.tools[i]);
  }
  const std::size_t n = std::min(kRivals, above.size());
  std::partial_sort(above.begin(), above.begin() + static_cast<std::ptrdiff_t>(n), above.end());
  step(features, right, std::min(0.0, now.margin(right) - kAim));
  for (std::size_t i = 0; i < n; ++i) step(features, above[i].second, -above[i].first);
}

void MarginModel::unlearn(const Features& features, std::uint32_t wrong) {
  double z = 0.0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto row = rows_.find(features.key(i));
    if (row != rows_.end()) z += features.x(i) * weight(row->second, wrong);
  }
  step(features, wrong, std::max(0.0, z));
}

void MarginModel::step(const Features& features, std::uint32_t tool, double slope) {
  if (slope == 0.0) return;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto [first, second] = Features::words(features.key(i));
    if (slope > 0.0 && first != second && !has(features.key(i), tool)) continue;
    adapt(rows_[features.key(i)], tool, features.x(i) * slope, kMarginStep);
  }
}

bool MarginModel::has(Features::Key key, std::uint32_t tool) const {
  const auto row = rows_.find(key);
  return row != rows_.end() && std::ranges::binary_search(row->second, tool, {}, &Cell::tool);
}

void MarginModel::keep(const Features& features, Past& past) const {
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto row = rows_.find(features.key(i));
    past.emplace_back(features.key(i),
                      row == rows_.end() ? std::nullopt : std::optional(row->second));
  }
}

void MarginModel::undo(Past past) noexcept {
  for (; !past.empty(); past.pop_back()) {
    auto& [key, before] = past.back();
    const auto row = rows_.find(key);
    if (row == rows_.end()) continue;
    if (before) {
      row->second.swap(*before);
    } else {
      rows_.erase(row);
    }
  }
}

void MarginModel::renumber(const std::vector<std::uint32_t>& tools) {
  for (auto& [key, row] : rows_) routing::renumber(row, tools);
  std::erase_if(rows_, [](const auto& keyed) { return keyed.second.empty(); });
}

std::vector<std::pair<Features::Key, const Row*>> MarginModel::rows() const {
  std::vector<std::pair<Features::Key, const Row*>> out;
  for (const auto& [key, row] : rows_) out.emplace_back(key, &row);
  std::ranges::sort(out);
  return out;
}

}  // namespace prefrontal::routing
