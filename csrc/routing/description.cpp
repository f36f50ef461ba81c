#include "csrc/routing/description.hpp"

#include <algorithm>
#include <cmath>

#include "csrc/routing/lexicon.hpp"

namespace prefrontal::routing {
namespace {

constexpr double kUnit = 4294967296.0;  // sums count in 2^-32
constexpr std::size_t kSearch = 32;     // entries that are read while one is searched

std::int64_t units(double value) {
  return static_cast<std::int64_t>(std::floor(value * kUnit + 0.5));
}

std::vector<std::uint32_t>& kept_slots(std::size_t tools) {
  thread_local std::vector<std::uint32_t> slots;
  if (slots.size() < tools) slots.resize(tools, kNone);
  return slots;
}

std::vector<std::uint64_t>& kept_bits(std::size_t tools) {
  thread_local std::vector<std::uint64_t> bits;
  if (bits.size() < tools / 64 + 1) bits.resize(tools / 64 + 1, 0);
  return bits;
}

double lower(double a, double b) { return b < a ? b : a; }

// Lists are many, short and far apart: all are on their way before the first is read.
void fetch(const WordList& list) {
  __builtin_prefetch(list.tools.data());
  __builtin_prefetch(list.impacts);
}

// The first place from `at` on whose tool is not below `tool`: by leaps, then by halves.
std::size_t seek(std::span<const std::uint32_t> tools, std::size_t at, std::uint32_t tool) {
  std::size_t leap = 1;
  std::size_t low = at;
  while (at < tools.size() && tools[at] < tool) {
    low = at + 1;
    at += leap;
    leap *= 2;
  }
  const auto from = tools.begin() + static_cast<std::ptrdiff_t>(low);
  const auto to = tools.begin() + static_cast<std::ptrdiff_t>(std::min(at, tools.size()));
  return static_cast<std::size_t>(std::lower_bound(from, to, tool) - tools.begin());
}

}  // namespace

Description::Description(const Catalog& catalog, const Intent& intent, bool with_relatives)
    : catalog_(catalog),
      slots_(kept_slots(catalog.tools())),
      asked_for_(kept_bits(catalog.tools())) {
  const SoftMatches matches = soft_matches(catalog, intent, with_relatives);
  double squares = 0.0;
  for (const Match& match : matches.words) {
    const double weight = match.in_text * catalog.idf[match.word];
    squares += weight * weight;
  }
  scale_ = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
  asked_ = 0.0;
  std::size_t at = 0;
  for (const Intent::Token& token : intent.tokens) {
    if (!token.content) continue;
    const double slip = matches.slips[at++];
    const std::uint32_t word = catalog.words.find(token.stem);
    const double weight = word == kNone ? catalog.highest_idf() / 2.0 * lexical_weight(token.stem)
                                        : catalog.idf[word];
    asked_ += weight;
    known_ += word == kNone ? slip * weight : weight;
  }
  known_ = asked_ == 0.0 ? 0.0 : known_ / asked_;
  if (asked_ == 0.0) asked_ = 1.0;  // a prompt without words
  list_words(matches.words);
}

Description::~Description() {
  for (const Entry& entry : entries_) slots_[entry.tool] = kNone;
}

void Description::list_words(const std::vector<Match>& matches) {
  for (const Match& match : matches) {
    const double idf = catalog_.idf[match.word];
    if (match.in_text > 0.0) {
      const std::uint32_t first = catalog_.in_texts.starts[match.word];
      lists_.push_back(
          {catalog_.in_texts.of(match.word), catalog_.counts.data() + first,
           catalog_.impacts.data() + first, match.in_text * idf, units(match.in_text * idf * idf),
           static_cast<std::uint64_t>(units(lower(1.0, match.in_text) * idf)), match.tokens});
    }
    if (match.in_name > 0.0 && catalog_.in_names.size(match.word) > 0) {
      lists_.push_back({catalog_.in_names.of(match.word), nullptr, nullptr, 0.0, 0,
                        static_cast<std::uint64_t>(units(lower(1.0, match.in_name) * idf)),
                        match.tokens});
    }
  }
  for (const WordList& list : lists_) fetch(list);
}

double Description::asked_share(const WordList& list) const {
  return static_cast<double>(list.idf) / kUnit / asked_;
}

void Description::read(std::span<const std::uint32_t> tools) {
  entries_.reserve(entries_.size() + tools.size());
  for (const std::uint32_t tool : tools) {
    slots_[tool] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({tool});
    asked_for_[tool / 64] |= std::uint64_t{1} << tool % 64;
  }
  for (const WordList& list : lists_) {
    if (list.tools.size() < kSearch * tools.size()) {
      scan(list);
    } else {
      search(list, tools);
    }
  }
  for (const std::uint32_t tool : tools) asked_for_[tool / 64] = 0;
}

void Description::put(const WordList& list, std::size_t at) {
  Entry& entry = entries_[slots_[list.tools[at]]];
  if (list.counts == nullptr) {
    entry.named += list.idf;
  } else {
    entry.product += list.product * list.counts[at];
    entry.covered += list.idf;
  }
  entry.tokens |= list.tokens;
}

void Description::scan(const WordList& list) {
  const std::uint64_t* bits = asked_for_.data();
  const std::size_t n = list.tools.size();
  for (std::size_t at = 0; at < n; ++at) {
    const std::uint32_t tool = list.tools[at];
    if ((bits[tool / 64] >> tool % 64 & 1U) != 0) put(list, at);
  }
}

void Description::search(const WordList& list, std::span<const std::uint32_t> tools) {
  std::size_t at = 0;
  for (const std::uint32_t tool : tools) {
    at = seek(list.tools, at, tool);
    if (at == list.tools.size()) break;
    if (list.tools[at] == tool) put(list, at);
  }
}

double Description::text(std::uint32_t tool) const {
  const Entry& sums = entry(tool);
  const double product = static_cast<double>(sums.product) / kUnit;
  const double cosine = product * scale_ * catalog_.text_scale[tool];
  const double share = covered(tool);
  return lower(1.0, kGain * (cosine + 0.5 * share) + whole_gain(share));
}

double Description::whole_gain(double covered) {
  const double square = covered * covered;
  return kWholeGain * square * square;
}

double Description::covered(std::uint32_t tool) const {
  return lower(1.0, static_cast<double>(entry(tool).covered) / kUnit / asked_);
}

double Description::name_coverage(std::uint32_t tool) const {
  const double named = static_cast<double>(entry(tool).named) / kUnit;
  return named == 0.0 ? 0.0 : lower(1.0, named / catalog_.name_weight[tool]);
}

double Description::name(std::uint32_t tool) const {
  const double named = static_cast<double>(entry(tool).named) / kUnit;
  return name_coverage(tool) * lower(1.0, named / asked_);
}

}  // namespace prefrontal::routing
