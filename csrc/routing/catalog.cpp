#include "csrc/routing/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "csrc/routing/levenshtein.hpp"
#include "csrc/routing/lexicon.hpp"
#include "csrc/routing/near_words.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::routing {
namespace {

double idf_of(std::uint32_t tools, std::uint32_t holders) {
  return simd::natural_log((1.0 + tools) / (1.0 + holders)) + 1.0;
}

constexpr std::uint32_t kStride = 32;  // words from one landmark to the next

// Numbers in the order of the texts, but for what follows.
std::uint64_t beginning(std::string_view text) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i)
    out = out << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  return out;
}

}  // namespace

double Catalog::highest_idf() const { return idf_of(tools(), 1); }

void Catalog::derive() {
  std::vector<double> idfs(words.size());
  std::vector<double> squares(tools());
  std::vector<double> weights(tools());
  std::vector<std::uint32_t> order;
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    idfs[word] = idf_of(tools(), in_texts.size(word)) * lexical_weight(words.text(word));
    for (std::uint32_t at = in_texts.starts[word]; at < in_texts.starts[word + 1]; ++at) {
      const double weight = counts[at] * idfs[word];
      squares[in_texts.numbers[at]] += weight * weight;
    }
    for (const std::uint32_t tool : in_names.of(word)) weights[tool] += idfs[word];
    if (in_names.size(word) > 0) order.push_back(word);
  }
  for (double& square : squares) square = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
  const auto length = [&](std::uint32_t word) { return words.text(word).size(); };
  std::ranges::stable_sort(order, {}, length);
  std::vector<std::uint32_t> signs;
  std::vector<std::uint32_t> end_letters;
  std::vector<std::uint32_t> starts(kLongestPattern + 2);
  for (const std::uint32_t word : order) {
    signs.push_back(letter_signature(words.text(word)));
    end_letters.push_back(word_ends(words.text(word)));
    ++starts[length(word) + 1];
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  idf = std::move(idfs);
  text_scale = std::move(squares);
  name_weight = std::move(weights);
  by_length = std::move(order);
  signatures = std::move(signs);
  ends = std::move(end_letters);
  lengths = std::move(starts);
  derive_landmarks();
  derive_impacts();
  by_segment = segment_lists(*this);
  derive_meanings();
}

void Catalog::derive_meanings() {
  std::vector<MeaningSum> sums(tools());
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    const std::uint32_t known = word_vectors().find(words.text(word));
    if (known == word_vectors().size()) continue;
    for (std::uint32_t at = in_texts.starts[word]; at < in_texts.starts[word + 1]; ++at)
      sums[in_texts.numbers[at]].add(word_vectors().vector(known), counts[at]);
  }
  std::vector<std::int8_t> of_all;
  of_all.reserve(kMeaning * sums.size());
  for (const MeaningSum& sum : sums) {
    const Meaning unit = sum.unit();
    of_all.insert(of_all.end(), unit.begin(), unit.end());
  }
  meanings = std::move(of_all);
}

void Catalog::derive_landmarks() {
  std::vector<std::uint64_t> beginnings;
  for (std::uint32_t word = 0; word < words.size(); word += kStride)
    beginnings.push_back(beginning(words.text(word)));
  landmarks = std::move(beginnings);
}

std::uint32_t Catalog::first_not_below(std::string_view text) const {
  const auto begins = landmarks.span();
  const auto near = std::ranges::equal_range(begins, beginning(text));
  const auto at = [&](auto place) { return static_cast<std::uint32_t>(place - begins.begin()); };
  // Words before the first landmark like it are below; from the one after the last they are not.
  std::uint32_t low = at(near.begin()) == 0 ? 0 : (at(near.begin()) - 1) * kStride;
  std::uint32_t high = std::min(words.size(), at(near.end()) * kStride);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (words.text(middle) < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void Catalog::derive_impacts() {
  std::vector<std::uint8_t> of_all(in_texts.numbers.size());
  for (std::uint32_t word = 0; word < words.size(); ++word) {
    for (std::uint32_t at = in_texts.starts[word]; at < in_texts.starts[word + 1]; ++at) {
      const double share = counts[at] * idf[word] * text_scale[in_texts.numbers[at]];
      of_all[at] =
          static_cast<std::uint8_t>(std::max(0.0, std::min(255.0, std::ceil(255.0 * share))));
    }
  }
  impacts = std::move(of_all);
}

}  // namespace prefrontal::routing
