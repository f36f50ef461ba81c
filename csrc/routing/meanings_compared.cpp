#include "csrc/routing/meanings_compared.hpp"

#include <algorithm>
#include <utility>

#include "csrc/routing/exact_names.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::int32_t kOwnTexts = 3;  // phrasings that a tool's texts count as

}  // namespace

MeaningsCompared::MeaningsCompared(const Catalog& catalog, const Experience& experience,
                                   const Intent& intent, std::span<const double> by_embedder,
                                   bool vectors)
    : catalog_(catalog),
      experience_(experience),
      by_embedder_(by_embedder),
      by_vectors_(vectors && by_embedder.empty()) {
  if (by_vectors_) meaning_ = meaning_of(intent);
}

void MeaningsCompared::compare(std::vector<std::uint32_t> tools) {
  tools_ = std::move(tools);
  likeness_.clear();
  cosines_.clear();
  likeness_.reserve(tools_.size());
  cosines_.reserve(tools_.size());
  const auto& taught = experience_.phrasings().by_tool();
  auto own = taught.begin();
  for (const std::uint32_t tool : tools_) {
    while (own != taught.end() && own->first < tool) ++own;
    const bool asked = own != taught.end() && own->first == tool;
    const auto texts = catalog_.meaning(tool);
    const double near =
        asked ? cosine(meaning_, texts, kOwnTexts, own->second.meaning) : cosine(meaning_, texts);
    likeness_.push_back(routing::likeness(near));
    cosines_.push_back(near);
  }
}

double MeaningsCompared::likeness(std::uint32_t tool) const {
  if (by_embedder()) return std::clamp(by_embedder_[tool], 0.0, 1.0);
  if (tools_.size() == catalog_.tools()) return likeness_[tool];
  const auto at = std::ranges::lower_bound(tools_, tool);
  if (at == tools_.end() || *at != tool) return 0.0;
  return likeness_[static_cast<std::size_t>(at - tools_.begin())];
}

double MeaningsCompared::lead(std::uint32_t tool) const {
  double own = 0.0;
  std::vector<std::pair<double, std::uint32_t>> others;
  const auto offer = [&](std::uint32_t other, double near) {
    if (other == tool) {
      own = near;
    } else if (near > 0.0) {
      others.emplace_back(near, other);
    }
  };
  if (by_embedder()) {
    for (std::uint32_t other = 0; other < catalog_.tools(); ++other) offer(other, likeness(other));
  } else {
    for (std::size_t i = 0; i < tools_.size(); ++i) offer(tools_[i], cosines_[i]);
  }
  std::ranges::make_heap(others);  // to compare names is slow
  while (!others.empty() && same_name(catalog_, tool, others.front().second)) {
    std::ranges::pop_heap(others);
    others.pop_back();
  }
  return std::clamp(own - (others.empty() ? 0.0 : others.front().first), -1.0, 1.0);
}

}  // namespace prefrontal::routing
