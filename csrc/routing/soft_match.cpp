#include "csrc/routing/soft_match.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "csrc/routing/lexicon.hpp"
#include "csrc/routing/near_words.hpp"
#include "csrc/routing/word_vectors.hpp"

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

class Matcher {
 public:
  explicit Matcher(const Catalog& catalog) : catalog_(catalog) {}

  void match(std::string_view stem, std::uint32_t token) {
    slips_.push_back(0.0);
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
  const std::vector<double>& slips() const { return slips_; }

 private:
  void by_prefix(std::string_view stem, std::uint32_t token) {
    if (stem.size() < kPrefix) {
      const std::uint32_t word = catalog_.words.find(stem);
      if (word != kNone) found_.push_back({word, token, 1.0, 1.0});
      return;
    }
    const std::string_view start = stem.substr(0, kPrefix);
    for (std::uint32_t word = catalog_.first_not_below(start); word < catalog_.words.size();
         ++word) {
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

  void by_edits(std::string_view stem, std::uint32_t token, std::size_t first_found) {
    const std::size_t last_found = found_.size();
    const bool misspelt = catalog_.words.find(stem) == kNone;
    const bool slip = misspelt && !is_english(stem);
    std::vector<NearWord> near = near_words(catalog_, stem);
    if (misspelt) add_swaps(stem, near);
    for (const NearWord& one : near) {
      const double like = 1.0 - static_cast<double>(one.edits) / static_cast<double>(one.longer);
      raise({one.word, token, slip ? like : 0.0, like}, misspelt, first_found, last_found);
      if (slip) slips_[token] = std::max(slips_[token], like);
    }
  }

  static bool is_english(std::string_view stem) {
    return word_vectors().find(stem) < word_vectors().size();
  }

  // Words of any text that are the stem with two neighbouring letters the other way round: one
  // edit.
  void add_swaps(std::string_view stem, std::vector<NearWord>& near) const {
    if (stem.size() < kPrefix) return;
    std::string other(stem);
    for (std::size_t i = 0; i + 1 < other.size(); ++i) {
      std::swap(other[i], other[i + 1]);
      const std::uint32_t word = catalog_.words.find(other);
      std::swap(other[i], other[i + 1]);
      if (word == kNone) continue;
      const auto at = std::ranges::find(near, word, &NearWord::word);
      if (at == near.end()) {
        near.push_back({word, 1, static_cast<std::uint32_t>(stem.size())});
      } else {
        at->edits = 1;
      }
    }
  }

  // Of the words from first to last, or as one more where the prompt's word is misspelt.
  void raise(const Likeness& near, bool misspelt, std::size_t first, std::size_t last) {
    const auto from = found_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = found_.begin() + static_cast<std::ptrdiff_t>(last);
    const auto at = std::lower_bound(
        from, to, near.word, [](const Likeness& a, std::uint32_t asked) { return a.word < asked; });
    if (at != to && at->word == near.word) {
      at->in_name = std::max(at->in_name, near.in_name);
      at->in_text = std::max(at->in_text, near.in_text);
    } else if (misspelt) {
      found_.push_back(near);
    }
  }

  const Catalog& catalog_;
  std::vector<Likeness> found_;
  std::vector<double> slips_;  // by token
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

SoftMatches soft_matches(const Catalog& catalog, const Intent& intent, bool with_relatives) {
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
  SoftMatches out{{}, matcher.slips()};
  std::vector<Likeness> found = std::move(matcher).found();
  std::ranges::sort(found, [](const Likeness& a, const Likeness& b) {
    return a.word != b.word ? a.word < b.word : a.token < b.token;
  });
  std::vector<Match>& words = out.words;
  for (const Likeness& like : found) {
    if (words.empty() || words.back().word != like.word) words.push_back({like.word, 0.0, 0.0, 0});
    words.back().in_text += times[like.token] * like.in_text;
    words.back().in_name += times[like.token] * like.in_name;
    if (like.token < 64 && !like.related) words.back().tokens |= std::uint64_t{1} << like.token;
  }
  return out;
}

}  // namespace prefrontal::routing
