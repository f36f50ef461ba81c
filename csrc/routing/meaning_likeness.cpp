#include "csrc/routing/meaning_likeness.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "csrc/routing/exact_names.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::int32_t kOwnTexts = 3;  // phrasings that a tool's texts count as

}  // namespace

MeaningLikeness::MeaningLikeness(const Catalog& catalog, const Experience& experience,
                                 const Intent& intent, std::span<const double> by_embedder,
                                 bool vectors)
    : catalog_(catalog),
      experience_(experience),
      by_embedder_(by_embedder),
      by_vectors_(vectors && by_embedder.empty()) {
  if (by_vectors_) meaning_ = meaning_of(intent);
}

void MeaningLikeness::compare(std::vector<std::uint32_t> tools) {
  tools_ = std::move(tools);
  likeness_.clear();
  cosines_.clear();
  likeness_.reserve(tools_.size());
  cosines_.reserve(tools_.size());
  const double unrelated = word_vectors().unrelated();
  const auto& taught = experience_.phrasings().by_tool();
  auto own = taught.begin();
  for (const std::uint32_t tool : tools_) {
    while (own != taught.end() && own->first < tool) ++own;
    const bool asked = own != taught.end() && own->first == tool;
    const auto texts = catalog_.meaning(tool);
    const double near =
        asked ? cosine(meaning_, texts, kOwnTexts, own->second.meaning) : cosine(meaning_, texts);
    likeness_.push_back(routing::likeness(near, unrelated));
    cosines_.push_back(near);
  }
}

double MeaningLikeness::likeness(std::uint32_t tool) const {
  if (by_embedder()) return std::clamp(by_embedder_[tool], 0.0, 1.0);
  if (tools_.size() == catalog_.tools()) return likeness_[tool];
  const auto at = std::ranges::lower_bound(tools_, tool);
  if (at == tools_.end() || *at != tool) return 0.0;
  return likeness_[static_cast<std::size_t>(at - tools_.begin())];
}

// The largest of the others, 0 without any. Names are compared last, since that is slow.
template <class Each>
double MeaningLikeness::next_of(std::uint32_t tool, std::size_t n, Each each) const {
  std::optional<double> next;
  std::uint32_t nearest = tool;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto [other, near] = each(i);
    if (other != tool && (!next || near > *next)) {
      next = near;
      nearest = other;
    }
  }
  if (nearest == tool || !same_name(catalog_, tool, nearest)) return next.value_or(0.0);
  next.reset();
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto [other, near] = each(i);
    if (other != tool && (!next || near > *next) && !same_name(catalog_, tool, other)) next = near;
  }
  return next.value_or(0.0);
}

double MeaningLikeness::lead(std::uint32_t tool) const {
  if (by_embedder()) {
    const auto next =
        next_of(tool, catalog_.tools(), [&](std::uint32_t i) { return std::pair(i, likeness(i)); });
    return std::clamp(likeness(tool) - next, -1.0, 1.0);
  }
  const auto at = std::ranges::lower_bound(tools_, tool);
  const bool known = at != tools_.end() && *at == tool;
  const double own = known ? cosines_[static_cast<std::size_t>(at - tools_.begin())] : 0.0;
  const auto next = next_of(tool, tools_.size(),
                            [&](std::size_t i) { return std::pair(tools_[i], cosines_[i]); });
  return std::clamp(own - next, -1.0, 1.0);
}

}  // namespace prefrontal::routing
