#include "csrc/routing/soft_match.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "csrc/routing/levenshtein.hpp"
#include "csrc/routing/lexicon.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::size_t kPrefix = 4;  // bytes that words of different stems must share

struct Likeness {
  std::uint32_t word;
  std::uint32_t token;
  double in_text;
  double in_name;
  bool related = false;
};

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(differ.first - a.begin());
}

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

class Matcher {
 public:
  explicit Matcher(const Catalog& catalog) : catalog_(catalog) {}

  void match(std::string_view stem, std::uint32_t token) {
    const std::size_t before = found_.size();
    by_prefix(stem, token);
    by_edits(stem, token, before);
  }

  // Relatives of the words that no tool has, the likest of each first.
  void match_relatives(const std::vector<std::string_view>& stems) {
    std::vector<std::uint32_t> known;
    for (const Likeness& like : found_) known.push_back(like.word);
    std::ranges::sort(known);
    std::vector<std::vector<Relative>> of_each;
    std::size_t most = 0;
    for (const std::string_view stem : stems) {
      of_each.push_back(relatives(catalog_, stem));
      most = std::max(most, of_each.back().size());
    }
    std::size_t entries = 0;
    for (std::size_t place = 0; place < most && entries < kMostRelated; ++place) {
      for (std::uint32_t token = 0; token < of_each.size(); ++token) {
        if (place >= of_each[token].size()) continue;
        const auto& [word, likeness] = of_each[token][place];
        if (std::ranges::binary_search(known, word)) continue;
        found_.push_back({word, token, likeness, 0.0, true});
        entries += catalog_.in_texts.size(word);
      }
    }
  }
  std::vector<Likeness> found() && { return std::move(found_); }

 private:
  std::uint32_t first_not_below(std::string_view text) const {
    std::uint32_t low = 0;
    std::uint32_t high = catalog_.words.size();
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (catalog_.words.text(middle) < text) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  void by_prefix(std::string_view stem, std::uint32_t token) {
    if (stem.size() < kPrefix) {
      const std::uint32_t word = catalog_.words.find(stem);
      if (word != kNone) found_.push_back({word, token, 1.0, 1.0});
      return;
    }
    const std::string_view start = stem.substr(0, kPrefix);
    for (std::uint32_t word = first_not_below(start); word < catalog_.words.size(); ++word) {
      const std::string_view other = catalog_.words.text(word);
      if (!other.starts_with(start)) break;
      const std::size_t shared = common_prefix(stem, other);
      const std::size_t longer = std::max(stem.size(), other.size());
      if (2 * shared < longer) continue;
      const bool same = shared == longer;
      const double like =
          same ? 1.0 : 0.7 * static_cast<double>(shared) / static_cast<double>(longer);
      found_.push_back({word, token, like, like});
    }
  }

  // Words of names, by length; the signatures keep most from being compared.
  void by_edits(std::string_view stem, std::uint32_t token, std::size_t first_found) {
    const EditPattern pattern(stem);
    const Outline outline{letter_signature(stem), word_ends(stem)};
    const std::size_t last_found = found_.size();
    for (std::size_t length = 1; length <= kLongestPattern; ++length) {
      const std::size_t longer = std::max(length, stem.size());
      const std::uint32_t most = most_edits(longer);
      if (most == 0 || longer - std::min(length, stem.size()) > most) continue;
      for_each_near(catalog_, length, most, outline, [&](std::size_t at) {
        const std::uint32_t word = catalog_.by_length[at];
        const std::uint32_t edits = pattern.distance(catalog_.words.text(word));
        if (edits == 0 || edits > most) return;
        const double like = 1.0 - static_cast<double>(edits) / static_cast<double>(longer);
        raise(word, token, like, first_found, last_found);
      });
    }
  }

  void raise(std::uint32_t word, std::uint32_t token, double like, std::size_t first,
             std::size_t last) {
    const auto from = found_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = found_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto at = std::lower_bound(
        from, to, word, [](const Likeness& a, std::uint32_t asked) { return a.word < asked; });
    if (at != to && at->word == word) {
      at->in_name = std::max(at->in_name, like);
    } else {
      found_.push_back({word, token, 0.0, like});
    }
  }

  const Catalog& catalog_;
  std::vector<Likeness> found_;
};

}  // namespace

std::vector<Relative> relatives(const Catalog& catalog, std::string_view stem) {
  std::vector<Relative> out;
  if (catalog.words.find(stem) != kNone) return out;
  for (const NearStem& near : near_stems(stem)) {
    const std::uint32_t word = catalog.words.find(near.stem);
    if (word != kNone) out.push_back({word, near.likeness});
  }
  return out;
}

std::vector<Match> soft_matches(const Catalog& catalog, const Intent& intent, bool with_relatives) {
  Matcher matcher(catalog);
  std::vector<double> times;
  std::vector<std::string_view> stems;
  for (const Intent::Token& token : intent.tokens) {
    if (!token.content) continue;
    matcher.match(token.stem, static_cast<std::uint32_t>(times.size()));
    times.push_back(token.times);
    stems.push_back(token.stem);
  }
  if (with_relatives) matcher.match_relatives(stems);
  std::vector<Likeness> found = std::move(matcher).found();
  std::ranges::sort(found, [](const Likeness& a, const Likeness& b) {
    return a.word != b.word ? a.word < b.word : a.token < b.token;
  });
  std::vector<Match> out;
  for (const Likeness& like : found) {
    if (out.empty() || out.back().word != like.word) out.push_back({like.word, 0.0, 0.0, 0});
    out.back().in_text += times[like.token] * like.in_text;
    out.back().in_name += times[like.token] * like.in_name;
    if (like.token < 64 && !like.related) out.back().tokens |= std::uint64_t{1} << like.token;
  }
  return out;
}

}  // namespace prefrontal::routing
