#include "csrc/routing/word_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "csrc/routing/in_module.hpp"

PREFRONTAL_IN_MODULE(prefrontal_word_vectors, PREFRONTAL_WORD_VECTORS);

namespace prefrontal::routing {
namespace {

constexpr std::size_t kHead = 20;
constexpr std::uint32_t kMostStems = 65'535;
constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::uint32_t kMostTimes = 255;

std::invalid_argument damaged(const std::string& rule) {
  return std::invalid_argument("word vectors must " + rule);
}

}  // namespace

WordVectors::WordVectors(std::span<const std::uint8_t> file) {
  if (file.size() < kHead || std::memcmp(file.data(), "PFWV", 4) != 0)
    throw damaged("begin with PFWV and four numbers, got " + std::to_string(file.size()) +
                  " bytes");
  const auto head = [&](std::size_t at) { return number_at<std::uint32_t>(file.data() + 4 * at); };
  const std::uint32_t stems = head(1);
  const std::uint32_t letters = head(2);
  mark_ = head(3);
  if (stems > kMostStems) throw damaged("have at most 65,535 stems, got " + std::to_string(stems));
  if (head(4) >= kMillion)
    throw damaged("have unrelated requests of less than a million, got " + std::to_string(head(4)));
  unrelated_ = static_cast<double>(head(4)) / kMillion;
  const std::uint64_t table = StemTable::bytes(stems, letters);
  const std::uint64_t size = kHead + table + kMeaning * std::uint64_t{stems};
  if (file.size() != size) {
    throw damaged("have " + std::to_string(size) + " bytes for its " + std::to_string(stems) +
                  " stems, got " + std::to_string(file.size()));
  }
  stems_ = StemTable(file.data() + kHead, stems, letters, "word vectors");
  vectors_ = reinterpret_cast<const std::int8_t*>(file.data() + kHead + table);
}

const WordVectors& word_vectors() {
  static const auto vectors =
      in_module<WordVectors>({prefrontal_word_vectors, prefrontal_word_vectors_end});
  return vectors;
}

void MeaningSum::add(std::string_view stem, std::uint32_t times) {
  const std::uint32_t at = word_vectors().find(stem);
  if (at < word_vectors().size()) add(word_vectors().vector(at), times);
}

void MeaningSum::add(std::span<const std::int8_t, kMeaning> word, std::uint32_t times) {
  const auto factor = static_cast<std::int32_t>(times);
  for (std::size_t i = 0; i < kMeaning; ++i) sums_[i] += factor * word[i];
}

void MeaningSum::subtract(std::span<const std::int8_t, kMeaning> word) {
  for (std::size_t i = 0; i < kMeaning; ++i) sums_[i] -= word[i];
}

Meaning MeaningSum::unit() const {
  double squares = 0.0;
  for (const std::int32_t sum : sums_) squares += static_cast<double>(sum) * sum;
  Meaning out{};
  if (squares == 0.0) return out;
  const double scale = kUnitLength / std::sqrt(squares);
  for (std::size_t i = 0; i < kMeaning; ++i) {
    const double value = std::floor(sums_[i] * scale + 0.5);
    out[i] = static_cast<std::int8_t>(std::clamp(value, -127.0, 127.0));
  }
  return out;
}

Meaning meaning_of(const Intent& intent) {
  MeaningSum sum;
  for (const Intent::Token& token : intent.tokens) {
    if (token.content) sum.add(token.stem, std::min(token.times, kMostTimes));
  }
  return sum.unit();
}

double cosine(std::span<const std::int8_t, kMeaning> one,
              std::span<const std::int8_t, kMeaning> other) {
  std::int32_t product = 0;
  for (std::size_t i = 0; i < kMeaning; ++i) product += one[i] * other[i];
  return product / (kUnitLength * kUnitLength);
}

double cosine(std::span<const std::int8_t, kMeaning> one,
              std::span<const std::int8_t, kMeaning> other, std::int32_t times,
              const MeaningSum& more) {
  std::int64_t product = 0;
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < kMeaning; ++i) {
    const std::int64_t sum = times * other[i] + more.sums()[i];
    product += one[i] * sum;
    squares += sum * sum;
  }
  if (squares == 0) return 0.0;
  return static_cast<double>(product) / (kUnitLength * std::sqrt(static_cast<double>(squares)));
}

}  // namespace prefrontal::routing
