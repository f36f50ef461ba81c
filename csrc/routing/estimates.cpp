#include "csrc/routing/estimates.hpp"

#include <algorithm>
#include <cstddef>

#include "csrc/simd/v16.hpp"

namespace prefrontal::routing {
namespace {

// Tools are looked through in blocks of kRows times kLanes; a lane has one tool of each row, so
// that names which begin alike lie in different lanes.
constexpr std::size_t kLanes = simd::kLanes;
constexpr std::size_t kRows = 64;
constexpr std::size_t kBlock = kLanes * kRows;

std::size_t padded(std::size_t tools) { return (tools + kBlock - 1) / kBlock * kBlock; }

std::vector<float>& grown(std::vector<float>& row, std::size_t size) {
  if (row.size() < size) row.resize(size, 0.0F);
  return row;
}

// A row's cosines, then what its tools cover, then the next row's; zeros between prompts.
std::vector<float>& kept_texts(std::size_t tools) {
  thread_local std::vector<float> texts;
  return grown(texts, 2 * padded(tools));
}

// By tool; zeros between prompts.
std::vector<float>& kept_names(std::size_t tools) {
  thread_local std::vector<float> names;
  return grown(names, padded(tools));
}

void wipe(std::vector<float>& texts, std::vector<float>& names, std::size_t size,
          std::span<const std::uint32_t> named) {
  std::fill_n(texts.begin(), size, 0.0F);
  for (const std::uint32_t tool : named) names[tool] = 0.0F;
}

// Where the cosine of a tool stands; what it covers stands kLanes later.
std::size_t place(std::uint32_t tool) { return 2 * std::size_t{tool} - tool % kLanes; }

float lower(float a, float b) { return b < a ? b : a; }
simd::v16 lower(const simd::v16& a, const simd::v16& b) { return simd::if_less(b, a, b, a); }
simd::v16 higher(const simd::v16& a, const simd::v16& b) { return simd::if_less(a, b, b, a); }

// For one tool or a row of them.
template <class Real>
struct Formula {
  Real one, half, gain, weight;

  Real text(const Real& cosine, const Real& covered) const {
    return weight * lower(gain * (cosine + half * lower(covered, one)), one);
  }
};

constexpr auto kGain = static_cast<float>(Description::kGain);

}  // namespace

Estimates::Estimates(const Catalog& catalog, const Description& description, const Mixture& mixture,
                     std::span<const std::uint32_t> known)
    : known_(known),
      text_weight_(static_cast<float>(mixture.text)),
      texts_(kept_texts(catalog.tools())),
      names_(kept_names(catalog.tools())),
      highest_(padded(catalog.tools()) / kRows) {
  add_texts(catalog, description);
  find_highest();
  try {
    add_names(catalog, description, static_cast<float>(mixture.name));
  } catch (...) {
    wipe(texts_, names_, 2 * kRows * highest_.size(), named_);
    throw;
  }
  // Nothing is subtracted, so each step rounds by at most 2^-24 of the largest.
  const double most = highest_.empty() ? 0.0 : std::ranges::max(highest_);
  error_ = static_cast<double>(description.lists().size() + 8) * 0x1p-23 * most;
}

Estimates::~Estimates() { wipe(texts_, names_, 2 * kRows * highest_.size(), named_); }

void Estimates::add_texts(const Catalog& catalog, const Description& description) {
  const double* scales = catalog.text_scale.data();
  for (const WordList& list : description.lists()) {
    if (list.counts == nullptr) continue;
    const auto cosine = static_cast<float>(description.cosine_gain(list));
    const auto covered = static_cast<float>(description.asked_share(list));
    for (std::size_t at = 0; at < list.tools.size(); ++at) {
      const std::uint32_t tool = list.tools[at];
      float* text = texts_.data() + place(tool);
      text[0] += cosine * static_cast<float>(list.counts[at]) * static_cast<float>(scales[tool]);
      text[kLanes] += covered;
    }
  }
  for (const std::uint32_t tool : known_) texts_[place(tool)] = texts_[place(tool) + kLanes] = 0.0F;
}

void Estimates::find_highest() {
  const Formula<simd::v16> formula{simd::splat(1.0F), simd::splat(0.5F), simd::splat(kGain),
                                   simd::splat(text_weight_)};
  const float* texts = texts_.data();
  for (std::size_t lane = 0; lane < highest_.size(); lane += kLanes) {
    simd::v16 most = simd::splat(0.0F);
    for (std::size_t row = 0; row < kRows; ++row, texts += 2 * kLanes)
      most = higher(most, formula.text(simd::load(texts), simd::load(texts + kLanes)));
    simd::store(most, highest_.data() + lane);
  }
}

void Estimates::add_names(const Catalog& catalog, const Description& description, float weight) {
  for (const WordList& list : description.lists()) {
    if (list.counts != nullptr) continue;
    const auto share = static_cast<float>(description.asked_share(list));
    for (const std::uint32_t tool : list.tools) {
      if (names_[tool] == 0.0F) named_.push_back(tool);
      names_[tool] += share;
    }
  }
  for (const std::uint32_t tool : known_) names_[tool] = 0.0F;
  const auto asked = static_cast<float>(description.asked());
  for (const std::uint32_t tool : named_) {
    const float share = names_[tool];
    const float coverage = share * asked / static_cast<float>(catalog.name_weight[tool]);
    names_[tool] = weight * lower(1.0F, coverage) * lower(1.0F, share);
    float& highest = highest_[tool / kBlock * kLanes + tool % kLanes];
    highest = std::max(highest, (*this)[tool]);
  }
}

float Estimates::operator[](std::uint32_t tool) const {
  const Formula<float> formula{1.0F, 0.5F, kGain, text_weight_};
  const float* text = texts_.data() + place(tool);
  return formula.text(text[0], text[kLanes]) + names_[tool];
}

double Estimates::near_largest(std::size_t n) const {
  if (n == 0 || n > highest_.size()) return 0.0;
  std::vector<float> best(n);
  std::ranges::partial_sort_copy(highest_, best, std::ranges::greater());
  return best.back();
}

std::vector<std::uint32_t> Estimates::reaching(double least) const {
  std::vector<std::uint32_t> out;
  for (std::size_t lane = 0; lane < highest_.size(); ++lane) {
    if (highest_[lane] == 0.0F || static_cast<double>(highest_[lane]) < least) continue;
    const std::size_t first = lane / kLanes * kBlock + lane % kLanes;
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto tool = static_cast<std::uint32_t>(first + row * kLanes);
      const float estimate = (*this)[tool];
      if (estimate > 0.0F && static_cast<double>(estimate) >= least) out.push_back(tool);
    }
  }
  return out;
}

}  // namespace prefrontal::routing
