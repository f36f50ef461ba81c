#include "csrc/routing/phrasings.hpp"

#include <algorithm>
#include <cmath>

#include "csrc/simd/log.hpp"

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
  return ids;
}

std::uint32_t Phrasings::find(std::uint32_t tool, const WordIds& words) const {
  const auto own = by_tool_.find(tool);
  if (own == by_tool_.end()) return kNone;
  for (const std::uint32_t id : own->second) {
    if (std::ranges::is_permutation(all_[id].words, words)) return id;
  }
  return kNone;
}

std::uint32_t Phrasings::add(std::uint32_t tool, const Intent& intent, std::string_view text) {
  WordIds words = numbered(intent);
  const std::uint32_t same = find(tool, words);
  WordIds& own = by_tool_[tool];
  if (same != kNone) {
    std::erase(own, same);
    own.push_back(same);
    all_[same].text = text;
    return same;
  }
  if (own.size() == kMostOfOneTool) {
    take_out(own.front());
    own.erase(own.begin());
  }
  const std::uint32_t id = slots();
  for (const std::uint32_t word : words) {
    ++counts_[word];
    having_[word].push_back(id);
  }
  all_.push_back({tool, std::move(words), std::string(text), 0.0});
  own.push_back(id);
  ++live_;
  return id;
}

void Phrasings::take_out(std::uint32_t id) {
  Phrasing& phrasing = all_[id];
  for (const std::uint32_t word : phrasing.words) {
    --counts_[word];
    std::erase(having_[word], id);
  }
  phrasing = {kNone, {}, {}, 0.0};
  --live_;
}

bool Phrasings::remove(std::uint32_t tool, const Intent& intent) {
  const std::uint32_t id = find(tool, numbered(intent));
  if (id == kNone) return false;
  const auto own = by_tool_.find(tool);
  std::erase(own->second, id);
  if (own->second.empty()) by_tool_.erase(own);
  take_out(id);
  return true;
}

void Phrasings::renumber(const std::vector<std::uint32_t>& tools) {
  std::map<std::uint32_t, WordIds> by_tool;
  for (auto& [tool, own] : by_tool_) {
    const std::uint32_t now = tools[tool];
    for (const std::uint32_t id : own) {
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
  Asked asked{{}, 0, {}, 0.0};
  if (live_ == 0) return asked;
  double squares = 0.0;
  double x_squares = 0.0;
  for (const Intent::Token& token : intent.tokens) {
    const std::uint32_t word = words_.find(token.stem);
    if (word == kNone || counts_[word] == 0) {
      ++asked.unknown;
      squares += 0.5 * (idf_by_count_[0] * idf_by_count_[0]);
      x_squares += 0.5 * (x_by_count_[0] * x_by_count_[0]);
      continue;
    }
    asked.words.push_back(word);
    asked.x.push_back(x(word));
    squares += idf(word) * idf(word);
    x_squares += x(word) * x(word);
  }
  asked.cosine_scale = scale_of(squares);
  const double x_scale = scale_of(x_squares);
  for (double& value : asked.x) value *= x_scale;
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
    const std::size_t of = std::min(kBest, by_tool_.at(tool).size());
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
