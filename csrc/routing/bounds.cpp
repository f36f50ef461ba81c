#include "csrc/routing/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace prefrontal::routing {
namespace {

// Tools are looked through in blocks, first by the highest of each.
constexpr std::size_t kBlock = 32;
// Two of them are a sum that 16 bits hold. No part of a score is above kWhole, so a bound may stop
// at kMost.
constexpr int kMost = 16383;
constexpr double kWhole = 16000.0;
constexpr double kMostImpact = 255.0;
constexpr std::uint32_t kFraction = 65536;         // parts of a unit
constexpr std::uint32_t kMostCosine = 16'000'000;  // 255 of them are below 2^32

std::size_t padded(std::size_t tools) { return (tools + kBlock - 1) / kBlock * kBlock; }

std::vector<std::int16_t>& grown(std::vector<std::int16_t>& row, std::size_t tools) {
  if (row.size() < padded(tools)) row.resize(padded(tools), 0);
  return row;
}

// Zeros between prompts, both of them.
std::vector<std::int16_t>& kept_texts(std::size_t tools) {
  thread_local std::vector<std::int16_t> texts;
  return grown(texts, tools);
}

std::vector<std::int16_t>& kept_names(std::size_t tools) {
  thread_local std::vector<std::int16_t> names;
  return grown(names, tools);
}

// Of 0 to `most`, whatever a damaged index says.
template <class Whole>
Whole rounded_up(double value, Whole most) {
  return static_cast<Whole>(std::max(0.0, std::min<double>(most, std::ceil(value))));
}

void raise(std::int16_t& sum, int by) {
  sum = static_cast<std::int16_t>(std::min(kMost, sum + by));
}

}  // namespace

Bounds::Bounds(const Catalog& catalog, const Description& description, const Mixture& mixture,
               std::span<const std::uint32_t> known)
    : catalog_(catalog),
      mixture_(mixture),
      asked_(description.asked()),
      texts_(kept_texts(catalog.tools())),
      names_(kept_names(catalog.tools())),
      highest_(padded(catalog.tools()) / kBlock) {
  const double weight = std::max(mixture.name, mixture.text);
  unit_ = weight > 0.0 ? kWhole / weight : 0.0;
  of_unit_ = weight / kWhole;
  share_of_unit_ = mixture.name > 0.0 ? of_unit_ / mixture.name : 0.0;
  add_texts(description);
  add_names(description);
  for (const std::uint32_t tool : known) texts_[tool] = names_[tool] = 0;
  find_highest();
}

Bounds::~Bounds() {
  std::fill_n(texts_.begin(), kBlock * highest_.size(), std::int16_t{0});
  std::fill_n(names_.begin(), kBlock * highest_.size(), std::int16_t{0});
}

void Bounds::add_texts(const Description& description) {
  const double gain = unit_ * mixture_.text * Description::kGain;
  std::int16_t* texts = texts_.data();
  for (const WordList& list : description.lists()) {
    if (list.impacts == nullptr) continue;
    const int covered = rounded_up(gain * 0.5 * description.asked_share(list), kMost);
    const auto cosine =
        rounded_up(gain * description.cosine_share(list) / kMostImpact * kFraction, kMostCosine);
    for (std::size_t at = 0; at < list.tools.size(); ++at) {
      const std::uint32_t impact = (list.impacts[at] * cosine + kFraction - 1) / kFraction;
      raise(texts[list.tools[at]], covered + static_cast<int>(impact));
    }
  }
}

void Bounds::add_names(const Description& description) {
  std::int16_t* names = names_.data();
  for (const WordList& list : description.lists()) {
    if (list.counts != nullptr) continue;
    const int share = rounded_up(unit_ * mixture_.name * description.asked_share(list), kMost);
    for (const std::uint32_t tool : list.tools) raise(names[tool], share);
  }
}

void Bounds::find_highest() {
  constexpr std::size_t kLanes = 8;
  const Units* texts = texts_.data();
  const Units* names = names_.data();
  for (Units& highest : highest_) {
    Units most[kLanes] = {};
    for (std::size_t row = 0; row < kBlock; row += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        most[lane] =
            std::max(most[lane], static_cast<Units>(texts[row + lane] + names[row + lane]));
    }
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane)
        most[lane] = std::max(most[lane], most[lane + half]);
    }
    highest = most[0];
    texts += kBlock;
    names += kBlock;
  }
}

double Bounds::operator[](std::uint32_t tool) const {
  const double bound = texts_[tool] == 0 ? 0.0 : std::min(mixture_.text, text_bound(texts_[tool]));
  if (names_[tool] == 0) return bound;
  const double share = names_[tool] * share_of_unit_;
  if (share >= 1.0) return bound + mixture_.name;  // by how much is not told
  const double coverage = share * asked_ / catalog_.name_weight[tool];
  return bound + mixture_.name * std::min(1.0, coverage) * share;
}

std::vector<Bounds::Bound> Bounds::largest(std::size_t n) const {
  if (n == 0 || n > highest_.size()) return reaching(0.0);
  std::vector<Units> best(n);
  std::ranges::partial_sort_copy(highest_, best, std::ranges::greater());
  return of_blocks(best.back(), 0.0);
}

std::vector<Bounds::Bound> Bounds::reaching(double least) const {
  return of_blocks(fewest(least), least);
}

double Bounds::text_bound(int units) const {
  const double words = units * of_unit_;
  if (mixture_.text <= 0.0) return words;
  const double covered = words / (mixture_.text * Description::kGain * 0.5);
  return words + mixture_.text * Description::whole_gain(std::min(1.0, covered));
}

int Bounds::fewest(double least) const {
  int low = 0;
  int high = 2 * kMost;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (text_bound(middle) >= least) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::vector<Bounds::Bound> Bounds::of_blocks(int lowest, double least) const {
  lowest = std::max(1, lowest);
  std::vector<Bound> out;
  for (std::size_t block = 0; block < highest_.size(); ++block) {
    if (highest_[block] < lowest) continue;
    for (std::size_t tool = block * kBlock; tool < (block + 1) * kBlock; ++tool) {
      if (texts_[tool] + names_[tool] < lowest) continue;
      const auto number = static_cast<std::uint32_t>(tool);
      if (const double most = (*this)[number]; most >= least) out.push_back({most, number});
    }
  }
  return out;
}

}  // namespace prefrontal::routing
