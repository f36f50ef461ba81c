#include "csrc/routing/near_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "csrc/routing/levenshtein.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::uint32_t kMostLooked = 3;  // edits for which parts are looked up
constexpr std::size_t kShortestCut = 3;   // bytes of a word that another is near to
constexpr std::size_t kLongestCut = 4 * kMostLooked + 3;
constexpr std::size_t kFewWords = 64;  // of a length: gone through rather than looked up

// What can be seen of words without comparing them; one column each.
struct Outline {
  std::uint32_t signature;
  std::uint32_t ends;
};

// 1 when words may be that near; free of branches, so that the compiler can use vectors.
template <int edits>
std::uint32_t may_be_near(const Outline& a, std::uint32_t signature, std::uint32_t ends) {
  std::uint32_t bits = a.signature ^ signature;
  for (int i = 0; i < 2 * edits; ++i) bits &= bits - 1;
  std::uint32_t near = bits == 0 ? 1 : 0;
  if constexpr (edits == 1) {
    const std::uint32_t differ = a.ends ^ ends;
    near &= ((differ & 0xFFFFU) == 0 ? 1U : 0U) | ((differ >> 16U) == 0 ? 1U : 0U);
  }
  return near;
}

// Calls visit(i) for the words from `first` to `last`, by length, that may be that near.
template <int edits, class Visit>
void for_each_near(const Catalog& catalog, std::size_t first, std::size_t last,
                   const Outline& asked, Visit&& visit) {
  constexpr std::size_t kBlock = 64;
  const std::uint32_t* signatures = catalog.signatures.data();
  const std::uint32_t* ends = catalog.ends.data();
  std::uint32_t near[kBlock] = {};
  for (std::size_t at = first; at < last; at += kBlock) {
    const std::size_t n = std::min(kBlock, last - at);
    for (std::size_t i = 0; i < n; ++i)
      near[i] = may_be_near<edits>(asked, signatures[at + i], ends[at + i]);
    for (std::size_t i = 0; i < n; i += 8) {
      std::uint32_t any = 0;
      for (std::size_t j = 0; j < 8; ++j) any |= near[i + j];
      for (std::size_t j = i; any != 0 && j < std::min(i + 8, n); ++j) {
        if (near[j] != 0) visit(at + j);
      }
    }
  }
}

template <class Visit>
void for_each_near(const Catalog& catalog, std::size_t length, std::uint32_t edits,
                   const Outline& asked, Visit&& visit) {
  const std::size_t first = catalog.lengths[length];
  const std::size_t last = catalog.lengths[length + 1];
  if (edits == 1) return for_each_near<1>(catalog, first, last, asked, visit);
  if (edits == 2) return for_each_near<2>(catalog, first, last, asked, visit);
  if (edits == 3) return for_each_near<3>(catalog, first, last, asked, visit);
  for_each_near<16>(catalog, first, last, asked, visit);  // words that long are rare: all of them
}

// How words of one length are cut that may be so many edits away.
struct Cut {
  std::size_t length;
  std::uint32_t edits;

  std::size_t start(std::size_t part) const {
    const std::size_t parts = edits + 1;
    const std::size_t size = length / parts;
    const std::size_t shorter = parts - length % parts;  // they come first
    return part * size + (part > shorter ? part - shorter : 0);
  }
  // Of up to four bytes.
  std::uint64_t hash(std::size_t part, std::string_view letters) const {
    std::uint32_t block = 0;
    std::memcpy(&block, letters.data(), letters.size());
    const std::uint64_t key = block | std::uint64_t{length} << 32U | std::uint64_t{edits} << 40U |
                              std::uint64_t{part} << 48U;
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
    return (mixed ^ mixed >> 32U) * 0x9E3779B97F4A7C15ULL >> 32U;
  }
};

// Of the words from kShortestCut to kLongestCut bytes: visit(place, hash) for each part of each cut
// that a word of a prompt can ask for.
template <class Visit>
void for_each_part(const Catalog& catalog, Visit&& visit) {
  for (std::size_t length = kShortestCut; length <= kLongestCut; ++length) {
    const auto fewest = std::max<std::uint32_t>(1, most_edits(length));
    const auto most = std::min(kMostLooked, static_cast<std::uint32_t>(length / 3));
    for (std::uint32_t at = catalog.lengths[length]; at < catalog.lengths[length + 1]; ++at) {
      const std::string_view word = catalog.words.text(catalog.by_length[at]);
      if (word.size() != length) continue;  // the index was damaged
      for (std::uint32_t edits = fewest; edits <= most; ++edits) {
        const Cut cut{length, edits};
        for (std::size_t part = 0; part <= edits; ++part) {
          const std::size_t start = cut.start(part);
          visit(at, cut.hash(part, word.substr(start, cut.start(part + 1) - start)));
        }
      }
    }
  }
}

class NearSearch {
 public:
  NearSearch(const Catalog& catalog, std::string_view stem)
      : catalog_(catalog),
        stem_(stem),
        pattern_(stem),
        outline_{letter_signature(stem), word_ends(stem)} {}

  std::vector<NearWord> found() && {
    for (std::size_t length = 1; length <= kLongestPattern; ++length) {
      const std::size_t longer = std::max(length, stem_.size());
      const std::uint32_t most = most_edits(longer);
      const std::size_t words = catalog_.lengths[length + 1] - catalog_.lengths[length];
      if (most == 0 || words == 0 || longer - std::min(length, stem_.size()) > most) continue;
      if (most > kMostLooked || words <= kFewWords) {
        for_each_near(catalog_, length, most, outline_,
                      [&](std::size_t at) { compare(at, longer, most); });
      } else {
        look_up({length, most}, longer);
      }
    }
    return std::move(found_);
  }

 private:
  void compare(std::size_t at, std::size_t longer, std::uint32_t most) {
    const std::uint32_t word = catalog_.by_length[at];
    const std::uint32_t edits = pattern_.distance(catalog_.words.text(word));
    if (edits > 0 && edits <= most)
      found_.push_back({word, edits, static_cast<std::uint32_t>(longer)});
  }

  void look_up(const Cut& cut, std::size_t longer) {
    places_.clear();
    const auto longer_by = static_cast<std::ptrdiff_t>(stem_.size() - cut.length);
    const auto edits = static_cast<std::ptrdiff_t>(cut.edits);
    for (std::ptrdiff_t part = 0; part <= edits; ++part) {
      const auto start = static_cast<std::ptrdiff_t>(cut.start(static_cast<std::size_t>(part)));
      const auto end = static_cast<std::ptrdiff_t>(cut.start(static_cast<std::size_t>(part + 1)));
      const auto last = static_cast<std::ptrdiff_t>(stem_.size()) - (end - start);
      const std::ptrdiff_t from =
          std::max({std::ptrdiff_t{0}, start - part, start + longer_by - (edits - part)});
      const std::ptrdiff_t to = std::min({last, start + part, start + longer_by + (edits - part)});
      for (std::ptrdiff_t at = from; at <= to; ++at)
        gather(cut, static_cast<std::size_t>(part),
               stem_.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(end - start)));
    }
    std::ranges::sort(places_);
    const auto same = std::ranges::unique(places_);
    places_.erase(same.begin(), same.end());
    for (const std::uint32_t at : places_) compare(at, longer, cut.edits);
  }

  void gather(const Cut& cut, std::size_t part, std::string_view letters) {
    const Lists& lists = catalog_.by_segment;
    const std::size_t rows = lists.starts.size() - 1;
    const auto row = static_cast<std::uint32_t>(cut.hash(part, letters) & (rows - 1));
    for (const std::uint32_t at : lists.of(row)) {
      std::uint32_t bits = catalog_.signatures[at] ^ outline_.signature;
      for (std::uint32_t i = 0; i < 2 * cut.edits; ++i) bits &= bits - 1;
      const bool of_length =
          at >= catalog_.lengths[cut.length] && at < catalog_.lengths[cut.length + 1];
      if (bits == 0 && of_length) places_.push_back(at);
    }
  }

  const Catalog& catalog_;
  std::string_view stem_;
  EditPattern pattern_;
  Outline outline_;
  std::vector<std::uint32_t> places_;
  std::vector<NearWord> found_;
};

}  // namespace

std::vector<NearWord> near_words(const Catalog& catalog, std::string_view stem) {
  return NearSearch(catalog, stem).found();
}

Lists segment_lists(const Catalog& catalog) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;  // hash, place
  for_each_part(catalog, [&](std::uint32_t at, std::uint64_t hash) {
    parts.emplace_back(static_cast<std::uint32_t>(hash), at);
  });
  const std::size_t rows = std::bit_ceil(parts.size() + 1);
  std::vector<std::uint32_t> starts(rows + 1);
  for (const auto& [hash, at] : parts) ++starts[(hash & (rows - 1)) + 1];
  for (std::size_t row = 0; row < rows; ++row) starts[row + 1] += starts[row];
  std::vector<std::uint32_t> next = starts;
  std::vector<std::uint32_t> places(parts.size());
  for (const auto& [hash, at] : parts) places[next[hash & (rows - 1)]++] = at;
  return {std::move(starts), std::move(places)};
}

}  // namespace prefrontal::routing
