#include "csrc/routing/phrasings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "csrc/routing/stop_words.hpp"
#include "csrc/simd/log.hpp"
#include "csrc/simd/room.hpp"

namespace prefrontal::routing {
namespace {

constexpr std::size_t kMostOfOneTool = 1000;
constexpr std::size_t kBest = 3;

double scale_of(double squares) { return squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0; }

// The best three so far; among equals the phrasing with the lower number.
struct Best {
  double cosine[kBest] = {};
  std::uint32_t phrasing[kBest] = {kNone, kNone, kNone};

  void offer(double value, std::uint32_t id) {
    std::size_t at = kBest;
    while (at > 0 && (phrasing[at - 1] == kNone || value > cosine[at - 1])) --at;
    if (at == kBest) return;
    for (std::size_t i = kBest - 1; i > at; --i) {
      cosine[i] = cosine[i - 1];
      phrasing[i] = phrasing[i - 1];
    }
    cosine[at] = value;
    phrasing[at] = id;
  }
};

}  // namespace

WordIds Phrasings::numbered(const Intent& intent) {
  WordIds ids;
  for (const Intent::Token& token : intent.tokens) ids.push_back(words_.add(token.stem));
  counts_.resize(words_.size());
  having_.resize(words_.size());
  find_vectors();
  return ids;
}

// A stop word has none.
void Phrasings::find_vectors() {
  while (vectors_.size() < words_.size()) {
    const std::string_view stem = word(static_cast<std::uint32_t>(vectors_.size()));
    const std::uint32_t at = is_stop_word(stem) ? kNone : word_vectors().find(stem);
    vectors_.push_back(at < word_vectors().size() ? at : kNone);
  }
}

Meaning Phrasings::meaning(const WordIds& words) const noexcept {
  MeaningSum sum;
  for (const std::uint32_t word : words) {
    if (vectors_[word] != kNone) sum.add(word_vectors().vector(vectors_[word]), 1);
  }
  return sum.unit();
}

void Phrasings::forget_words(std::uint32_t size) noexcept {
  words_.shorten(size);
  counts_.resize(std::min<std::size_t>(counts_.size(), size));
  having_.resize(std::min<std::size_t>(having_.size(), size));
  vectors_.resize(std::min<std::size_t>(vectors_.size(), size));
}

std::uint32_t Phrasings::find(std::uint32_t tool, const WordIds& words) const {
  const auto own = by_tool_.find(tool);
  if (own == by_tool_.end()) return kNone;
  for (const std::uint32_t id : own->second.ids) {
    if (std::ranges::is_permutation(all_[id].words, words)) return id;
  }
  return kNone;
}

Phrasings::Change Phrasings::add(std::uint32_t tool, const Intent& intent, std::string_view text) {
  Change change{tool, kNone, kNone, 0, {}, {}, words_.size()};
  Phrasing fresh{tool, {}, std::string(text), 0.0};
  auto own = by_tool_.end();
  try {
    fresh.words = numbered(intent);
    change.removed = find(tool, fresh.words);
    own = by_tool_.try_emplace(tool).first;
    simd::make_room(1, all_, own->second.ids);
    for (const std::uint32_t word : fresh.words) simd::make_room(1, having_[word]);
  } catch (...) {
    if (own != by_tool_.end() && own->second.ids.empty()) by_tool_.erase(own);
    forget_words(change.words);
    throw;
  }
  WordIds& ids = own->second.ids;  // from here on nothing fails
  if (change.removed != kNone) {
    change.added = change.removed;
    change.age = static_cast<std::size_t>(std::ranges::find(ids, change.removed) - ids.begin());
    change.before = {tool, {}, std::exchange(all_[change.added].text, std::move(fresh.text)), 0.0};
    std::erase(ids, change.removed);
  } else {
    if (ids.size() == kMostOfOneTool) {
      change.removed = ids.front();
      change.before = take_out(change.removed);
      ids.erase(ids.begin());
    }
    change.added = slots();
    all_.push_back(std::move(fresh));
    count(change.added);
  }
  ids.push_back(change.added);
  return change;
}

void Phrasings::count(std::uint32_t id) noexcept {
  for (const std::uint32_t word : all_[id].words) {
    ++counts_[word];
    WordIds& having = having_[word];
    having.insert(std::ranges::lower_bound(having, id), id);
  }
  by_tool_.find(all_[id].tool)->second.meaning.add(meaning(all_[id].words), 1);
  ++live_;
}

Phrasings::Phrasing Phrasings::take_out(std::uint32_t id) noexcept {
  for (const std::uint32_t word : all_[id].words) {
    --counts_[word];
    std::erase(having_[word], id);
  }
  by_tool_.find(all_[id].tool)->second.meaning.subtract(meaning(all_[id].words));
  --live_;
  return std::exchange(all_[id], {kNone, {}, {}, 0.0});
}

Phrasings::Change Phrasings::remove(std::uint32_t tool, const Intent& intent) {
  Change change{tool, kNone, kNone, 0, {}, {}, words_.size()};
  try {
    change.removed = find(tool, numbered(intent));
  } catch (...) {
    forget_words(change.words);
    throw;
  }
  if (change.removed == kNone) return change;
  const auto own = by_tool_.find(tool);
  WordIds& ids = own->second.ids;
  change.age = static_cast<std::size_t>(std::ranges::find(ids, change.removed) - ids.begin());
  change.before = take_out(change.removed);
  std::erase(ids, change.removed);
  if (ids.empty()) change.own = by_tool_.extract(own);
  return change;
}

// All memory that this takes was there before the change.
void Phrasings::undo(Change change) noexcept {
  if (change.own) by_tool_.insert(std::move(change.own));
  const auto own = by_tool_.find(change.tool);
  if (change.added != kNone) own->second.ids.pop_back();
  if (change.is_new()) {
    take_out(change.added);
    all_.pop_back();
  }
  if (change.removed != kNone) {
    WordIds& ids = own->second.ids;
    ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(change.age), change.removed);
    if (change.removed == change.added) {
      all_[change.removed].text.swap(change.before.text);
    } else {
      all_[change.removed] = std::move(change.before);
      count(change.removed);
    }
  }
  if (own != by_tool_.end() && own->second.ids.empty()) by_tool_.erase(own);
  forget_words(change.words);
  refresh();
}

void Phrasings::renumber(const std::vector<std::uint32_t>& tools) {
  std::map<std::uint32_t, ToolPhrasings> by_tool;
  for (auto& [tool, own] : by_tool_) {
    const std::uint32_t now = tools[tool];
    for (const std::uint32_t id : own.ids) {
      if (now == kNone) {
        take_out(id);
      } else {
        all_[id].tool = now;
      }
    }
    if (now != kNone) by_tool[now] = std::move(own);
  }
  by_tool_ = std::move(by_tool);
}

void Phrasings::refresh() {
  const std::uint32_t most = counts_.empty() ? 0 : std::ranges::max(counts_);
  idf_by_count_.assign(most + 1, 0.0);
  x_by_count_.assign(most + 1, 0.0);
  const auto fill = [&](std::uint32_t count) {
    if (idf_by_count_[count] != 0.0) return;
    idf_by_count_[count] = simd::natural_log((live_ + 1.0) / (count + 1.0)) + 1.0;
    x_by_count_[count] = simd::natural_log((live_ + 2.0) / (count + 1.0)) + 0.5;
  };
  fill(0);
  for (const std::uint32_t count : counts_) fill(count);
  for (Phrasing& phrasing : all_) {
    double squares = 0.0;
    for (const std::uint32_t word : phrasing.words) squares += idf(word) * idf(word);
    phrasing.scale = scale_of(squares);
  }
}

Asked Phrasings::ask(const Intent& intent) const {
  Asked asked{};
  if (live_ == 0) return asked;
  double squares = 0.0;
  double x_squares = 0.0;
  std::vector<bool> follows;  // by known word: the one before it in the prompt is known, too
  bool known = false;
  for (const Intent::Token& token : intent.tokens) {
    const std::uint32_t word = words_.find(token.stem);
    const bool after_known = std::exchange(known, word != kNone && counts_[word] > 0);
    if (!known) {
      ++asked.unknown;
      squares += 0.5 * (idf_by_count_[0] * idf_by_count_[0]);
      x_squares += 0.5 * (x_by_count_[0] * x_by_count_[0]);
      continue;
    }
    asked.words.push_back(word);
    follows.push_back(after_known);
    asked.x.push_back(x(word));
    squares += idf(word) * idf(word);
    x_squares += x(word) * x(word);
  }
  asked.cosine_scale = scale_of(squares);
  const double x_scale = scale_of(x_squares);
  for (double& value : asked.x) value *= x_scale;
  for (std::size_t i = 0; i < asked.words.size(); ++i)
    asked.features.add(asked.words[i], asked.x[i], follows[i]);
  return asked;
}

std::vector<double> Phrasings::x_of(const Phrasing& phrasing) const {
  std::vector<double> out;
  double squares = 0.0;
  for (const std::uint32_t word : phrasing.words) {
    out.push_back(x(word));
    squares += out.back() * out.back();
  }
  const double scale = scale_of(squares);
  for (double& value : out) value *= scale;
  return out;
}

Features Phrasings::features_of(const Phrasing& phrasing, const std::vector<double>& x) const {
  Features out;
  for (std::size_t i = 0; i < x.size(); ++i) out.add(phrasing.words[i], x[i], i > 0);
  return out;
}

std::vector<Nearness> Phrasings::nearest(const Asked& asked) const {
  thread_local std::vector<double> products;
  thread_local std::vector<std::uint32_t> touched;
  for (const std::uint32_t id : touched) products[id] = 0.0;  // of a prompt that was given up
  touched.clear();
  products.resize(std::max(products.size(), all_.size()), 0.0);
  for (const std::uint32_t word : asked.words) {
    const double square = idf(word) * idf(word);
    for (const std::uint32_t id : having_[word]) {
      if (products[id] == 0.0) touched.push_back(id);
      products[id] += square;
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_tool;  // (tool, phrasing)
  by_tool.reserve(touched.size());
  for (const std::uint32_t id : touched) by_tool.emplace_back(all_[id].tool, id);
  std::ranges::sort(by_tool);
  std::vector<Nearness> out;
  for (std::size_t i = 0; i < by_tool.size();) {
    const std::uint32_t tool = by_tool[i].first;
    Best best;
    for (; i < by_tool.size() && by_tool[i].first == tool; ++i) {
      const std::uint32_t id = by_tool[i].second;
      best.offer(products[id] * asked.cosine_scale * all_[id].scale, id);
    }
    const std::size_t of = std::min(kBest, by_tool_.at(tool).ids.size());
    const double sum = best.cosine[0] + best.cosine[1] + best.cosine[2];
    out.push_back({tool,
                   sum / static_cast<double>(of),
                   best.cosine[0],
                   {best.phrasing[0], best.phrasing[1], best.phrasing[2]}});
  }
  for (const std::uint32_t id : touched) products[id] = 0.0;
  touched.clear();
  return out;
}

double Phrasings::cosine(const std::vector<std::string>& stems, const Intent& intent) const {
  const auto weight = [&](std::string_view stem) {
    const std::uint32_t word = words_.find(stem);
    return idf_by_count_[word == kNone ? 0 : counts_[word]];
  };
  double product = 0.0;
  double theirs = 0.0;
  double ours = 0.0;
  for (const std::string& stem : stems) theirs += weight(stem) * weight(stem);
  for (const Intent::Token& token : intent.tokens) {
    const double square = weight(token.stem) * weight(token.stem);
    ours += square;
    if (std::ranges::find(stems, token.stem) != stems.end()) product += square;
  }
  return std::min(1.0, product * scale_of(ours) * scale_of(theirs));
}

}  // namespace prefrontal::routing
