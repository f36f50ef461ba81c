// What words mean, as 64 numbers for each of 20,000 English stems: scripts/build_word_vectors.py
// says from which texts, and how the file lies. The sum of the vectors of a text's words points
// where a sentence model puts the text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "csrc/routing/intent.hpp"
#include "csrc/routing/stem_table.hpp"

namespace prefrontal::routing {

constexpr std::size_t kMeaning = 64;
using Meaning = std::array<std::int8_t, kMeaning>;  // a unit vector times kUnitLength
constexpr double kUnitLength = 200.0;

class WordVectors {
 public:
  // `file` must stay. Throws std::invalid_argument unless all of it is as it was built.
  explicit WordVectors(std::span<const std::uint8_t> file);

  std::uint32_t size() const { return stems_.size(); }
  std::string_view stem(std::uint32_t at) const { return stems_.stem(at); }
  std::uint32_t find(std::string_view stem) const { return stems_.find(stem); }
  std::span<const std::int8_t, kMeaning> vector(std::uint32_t at) const {
    return std::span<const std::int8_t, kMeaning>(vectors_ + kMeaning * std::size_t{at}, kMeaning);
  }
  // The mean cosine of requests that have nothing to do with one another.
  double unrelated() const { return unrelated_; }
  std::uint32_t mark() const { return mark_; }  // another one for other vectors

 private:
  StemTable stems_;
  const std::int8_t* vectors_ = nullptr;
  double unrelated_ = 0.0;
  std::uint32_t mark_ = 0;
};

// Those in this module.
const WordVectors& word_vectors();

// Adds up words; sums of at most 20,000 different ones, each at most 255 times, are exact.
class MeaningSum {
 public:
  void add(std::string_view stem, std::uint32_t times);
  void add(std::span<const std::int8_t, kMeaning> word, std::uint32_t times);
  void subtract(std::span<const std::int8_t, kMeaning> word);
  Meaning unit() const;  // zeros where no word is known
  std::span<const std::int32_t, kMeaning> sums() const { return sums_; }

 private:
  std::array<std::int32_t, kMeaning> sums_{};
};

Meaning meaning_of(const Intent& intent);  // of its words with content

double cosine(std::span<const std::int8_t, kMeaning> one,
              std::span<const std::int8_t, kMeaning> other);
// With `other` so many times and `more` on top; 0 where that is nothing.
double cosine(std::span<const std::int8_t, kMeaning> one,
              std::span<const std::int8_t, kMeaning> other, std::int32_t times,
              const MeaningSum& more);

// 0..1: min(1, 1.4 (cosine - unrelated) / (1 - unrelated)), 0 below unrelated.
inline double likeness(double cosine, double unrelated) {
  constexpr double kGain = 1.4;
  if (cosine <= unrelated) return 0.0;
  return std::min(1.0, kGain * (cosine - unrelated) / (1.0 - unrelated));
}

}  // namespace prefrontal::routing
