#include "csrc/routing/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "csrc/routing/levenshtein.hpp"
#include "csrc/routing/lexicon.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::routing {
namespace {

double idf_of(std::uint32_t tools, std::uint32_t holders) {
  return simd::natural_log((1.0 + tools) / (1.0 + holders)) + 1.0;
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
}

}  // namespace prefrontal::routing
