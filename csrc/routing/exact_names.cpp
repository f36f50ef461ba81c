#include "csrc/routing/exact_names.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "csrc/routing/words.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::size_t kMostFillers = 3;

constexpr std::array<std::string_view, 7> kCalls{"use", "using",   "call", "invoke",
                                                 "run", "execute", "via"};
constexpr std::array<std::string_view, 8> kFillers{"the",   "a",     "my",     "tool",
                                                   "tools", "named", "called", "function"};
constexpr std::array<std::string_view, 3> kKinds{"tool", "tools", "function"};
constexpr std::array<std::string_view, 13> kAfter{"tool", "function", "to",   "for", "on",
                                                  "with", "and",      "then", "in",  "from",
                                                  "or",   "please",   "now"};

template <std::size_t n>
bool among(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::uint64_t joined(std::uint64_t hash, std::uint64_t word) {
  return (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15ULL + 1;
}

class Prompt {
 public:
  Prompt(const Catalog& catalog, std::string_view text) : catalog_(catalog), text_(text) {
    WordReader reader(text);
    for (std::string_view lower = reader.next(); !lower.empty(); lower = reader.next()) {
      const std::string_view typed = reader.typed();
      const auto start = static_cast<std::size_t>(typed.data() - text.data());
      words_.push_back({std::string(lower), text_hash(lower), start, start + typed.size()});
    }
  }

  std::vector<NameCall> calls() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      find_identifier(at, false);
      find_identifier(at, true);
      find_quoted(at);
      if (among(kCalls, words_[at].lower)) find_called(at + 1);
      if (among(kKinds, words_[at].lower)) find_before(at);
    }
    std::vector<NameCall> calls = outermost();
    std::ranges::sort(calls, [](const NameCall& one, const NameCall& other) {
      return one.tool != other.tool ? one.tool < other.tool : one.words > other.words;
    });
    const auto same = [](const NameCall& a, const NameCall& b) { return a.tool == b.tool; };
    calls.erase(std::unique(calls.begin(), calls.end(), same), calls.end());
    return calls;
  }

 private:
  struct Word {
    std::string lower;
    std::uint64_t hash;
    std::size_t start;
    std::size_t end;
  };

  struct Call {  // from word `first` to word `last`
    std::uint32_t tool;
    std::size_t first;
    std::size_t last;
  };

  // Without those inside a longer one: "list_tools" does not call `list`, which is before "tools".
  std::vector<NameCall> outermost() {
    std::ranges::sort(calls_, [](const Call& one, const Call& other) {
      return one.first != other.first ? one.first < other.first : one.last > other.last;
    });
    std::vector<NameCall> calls;
    std::size_t reach = 0;  // behind the last word of all longer calls that began before
    std::size_t end = 0;
    const Call* before = nullptr;
    for (const Call& call : calls_) {
      const bool same = before && before->first == call.first && before->last == call.last;
      if (!same) reach = end;
      if (call.last >= reach)
        calls.push_back({call.tool, static_cast<std::uint32_t>(call.last - call.first + 1)});
      end = std::max(end, call.last + 1);
      before = &call;
    }
    return calls;
  }

  std::string_view between(std::size_t at) const {  // the words at and at + 1
    return text_.substr(words_[at].end, words_[at + 1].start - words_[at].end);
  }
  // Whether this word and the next one are parts of one identifier; loose: also of a path.
  bool glued(std::size_t at, bool loose) const {
    if (at + 1 >= words_.size()) return false;
    const std::string_view gap = between(at);
    return gap.find_first_not_of(loose ? "_-./:" : "_-") == std::string_view::npos;
  }
  bool near(std::size_t at) const {
    return at + 1 < words_.size() &&
           between(at).find_first_not_of(" \t_-") == std::string_view::npos;
  }
  char before(std::size_t at) const {
    return words_[at].start == 0 ? '\0' : text_[words_[at].start - 1];
  }
  char after(std::size_t at) const {
    return words_[at].end == text_.size() ? '\0' : text_[words_[at].end];
  }

  // Takes the tools that are called as the words from `first` to `last`.
  bool take(std::size_t first, std::size_t last) {
    std::uint64_t hash = 0;
    for (std::size_t at = first; at <= last; ++at) hash = joined(hash, words_[at].hash);
    const auto hashes = catalog_.name_hashes.span();
    const auto range = std::ranges::equal_range(hashes, hash);
    for (auto at = range.begin(); at != range.end(); ++at) {
      const auto place = static_cast<std::size_t>(at - hashes.begin());
      calls_.push_back({catalog_.hashed_tools[place], first, last});
    }
    return range.begin() != range.end();
  }

  void find_identifier(std::size_t first, bool loose) {
    if (first > 0 && glued(first - 1, loose)) return;
    std::size_t last = first;
    while (glued(last, loose)) ++last;
    if (last > first && last - first < kMostNameWords) take(first, last);
  }

  void find_quoted(std::size_t first) {
    const char quote = before(first);
    if (quote != '`' && quote != '\'' && quote != '"') return;
    for (std::size_t last = first; last < words_.size() && last - first < kMostNameWords; ++last) {
      if (after(last) == quote) {
        take(first, last);
        return;
      }
      if (!near(last)) return;
    }
  }

  // Whether what follows the word leaves a name of one word whole.
  bool ends_name(std::size_t at) const {
    if (at + 1 >= words_.size() || !near(at)) return true;
    return among(kAfter, words_[at + 1].lower);
  }

  void find_called(std::size_t first) {
    for (std::size_t skipped = 0; first < words_.size() && skipped <= kMostFillers;
         ++first, ++skipped) {
      if (first > 0 && !near(first - 1)) return;
      if (longest_from(first) || !among(kFillers, words_[first].lower)) return;
    }
  }
  bool longest_from(std::size_t first) {
    std::size_t last = first;
    while (near(last) && last - first + 1 < kMostNameWords) ++last;
    for (;; --last) {
      const bool whole = !glued(last, false) && (last > first || ends_name(last));
      if (whole && take(first, last)) return true;
      if (last == first) return false;
    }
  }

  void find_before(std::size_t end) {
    std::size_t first = end;
    while (first > 0 && near(first - 1) && end - first < kMostNameWords) --first;
    for (; first < end; ++first) {
      if ((first == 0 || !glued(first - 1, false)) && take(first, end - 1)) return;
    }
  }

  const Catalog& catalog_;
  std::string_view text_;
  std::vector<Word> words_;
  std::vector<Call> calls_;
};

}  // namespace

std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0;
  WordReader words(name);
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    hash = joined(hash, text_hash(word));
  return hash;
}

void set_names(Catalog& catalog, std::span<const std::uint64_t> hashes) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t tool = 0; tool < hashes.size(); ++tool) order.emplace_back(hashes[tool], tool);
  std::ranges::sort(order);
  std::vector<std::uint64_t> ascending;
  std::vector<std::uint32_t> tools;
  for (const auto& [hash, tool] : order) {
    ascending.push_back(hash);
    tools.push_back(tool);
  }
  catalog.name_hashes = std::move(ascending);
  catalog.hashed_tools = std::move(tools);
}

bool same_name(const Catalog& catalog, std::uint32_t one, std::uint32_t other) {
  const auto hash = [&](std::uint32_t tool) {
    std::size_t at = 0;
    while (catalog.hashed_tools[at] != tool) ++at;
    return catalog.name_hashes[at];
  };
  const std::uint64_t own = hash(one);
  return own != 0 && own == hash(other);
}

std::vector<NameCall> name_calls(const Catalog& catalog, std::string_view prompt) {
  return Prompt(catalog, prompt).calls();
}

}  // namespace prefrontal::routing
