#include "csrc/routing/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "csrc/routing/candidates.hpp"
#include "csrc/routing/description.hpp"
#include "csrc/simd/exponential.hpp"

namespace prefrontal::routing {
namespace {

constexpr double kMillion = 1e6;
constexpr double kLogOdds = 0.40546510810816438;  // ln 1.5: odds of a score of .6
constexpr double kMostLearned = 0.7;              // the largest part of D that learning gets

std::int64_t millionths(double value) {
  return static_cast<std::int64_t>(std::floor(value * kMillion + 0.5));
}

double rounded(double value) { return static_cast<double>(millionths(value)) / kMillion; }

class Ranker {
 public:
  Ranker(const Catalog& catalog, const Experience& experience, const Question& question)
      : catalog_(catalog),
        experience_(experience),
        question_(question),
        intent_(question.intent),
        description_(catalog, intent_),
        asked_(experience.phrasings().ask(intent_)),
        nearest_(experience.phrasings().nearest(asked_)),
        shares_(experience.model().shares(asked_.words, asked_.x, catalog.tools())),
        calls_(name_calls(catalog, question.intent)) {
    const double n = experience.phrasings().size();
    learned_ = n > 0.0 ? n / (n + catalog.tools()) : 0.0;
    reached_ = question.calibration.cold +
               (question.calibration.learned - question.calibration.cold) * learned_;
  }

  Ranking ranking() {
    gather();
    const std::size_t n = std::min<std::size_t>(question_.most, best_.size());
    const auto middle = best_.begin() + static_cast<std::ptrdiff_t>(n);
    std::partial_sort(best_.begin(), middle, best_.end());
    Ranking out{{}, learned_, reached_};
    for (auto at = best_.begin(); at != middle; ++at) {
      out.tools.push_back(judged(at->tool));
      out.tools.back().matched = matched(at->tool);
    }
    return out;
  }

 private:
  struct Place {
    std::uint32_t name_words;
    std::int64_t raw;
    std::uint32_t tool;

    bool operator<(const Place& other) const {
      if (name_words != other.name_words) return name_words > other.name_words;
      return raw != other.raw ? raw > other.raw : tool < other.tool;
    }
  };

  void gather() {
    std::vector<std::uint32_t> known;
    for (const NameCall& call : calls_) known.push_back(call.tool);
    for (const Nearness& near : nearest_) known.push_back(near.tool);
    known.insert(known.end(), shares_.tools.begin(), shares_.tools.end());
    for (const auto& [tool, record] : experience_.records()) known.push_back(tool);
    if (!question_.similarities.empty()) {
      known.resize(catalog_.tools());
      std::iota(known.begin(), known.end(), 0U);
    }
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const double part = kMostLearned * learned_;
    const Weights& weights = question_.weights;
    const Mixture mixture{weights.name, weights.doc * (1.0 - part)};
    for (const std::uint32_t tool :
         candidates(catalog_, description_, question_.most, mixture, known)) {
      const Ranked ranked = judged(tool);
      best_.push_back({ranked.name_words, ranked.raw, tool});
    }
  }

  std::uint32_t name_words(std::uint32_t tool) const {
    const auto at = std::ranges::lower_bound(calls_, tool, {}, &NameCall::tool);
    return at == calls_.end() || at->tool != tool ? 0 : at->words;
  }

  const Nearness* near(std::uint32_t tool) const {
    const auto at = std::ranges::lower_bound(nearest_, tool, {}, &Nearness::tool);
    return at == nearest_.end() || at->tool != tool ? nullptr : &*at;
  }

  Ranked judged(std::uint32_t tool) const {
    Ranked out{};
    out.tool = tool;
    const Nearness* phrasing = near(tool);
    out.phrasing = phrasing == nullptr ? 0.0 : phrasing->nearness;
    out.nearest = phrasing == nullptr ? kNone : phrasing->nearest[0];
    out.description = description_.text(tool);
    out.linear = shares_.share(tool);
    const double part = kMostLearned * learned_;
    double name = std::max(description_.name(tool), out.phrasing);
    double doc = (1.0 - part) * out.description + part * std::sqrt(out.linear);
    if (!question_.similarities.empty()) {
      const double similarity = std::max(0.0, question_.similarities[tool]);
      const double share = question_.similarity_share;
      out.embedding_similarity = rounded(similarity);
      doc = (1.0 - share) * doc + share * similarity;
    }
    out.refused = experience_.refused(tool, intent_);
    const double kept = 1.0 - out.refused * out.refused * out.refused;
    name *= kept;
    doc *= kept;
    out.name_words = name_words(tool);
    if (out.name_words > 0) name = doc = 1.0;
    const double history =
        question_.prior_history ? kPrior : experience_.record(tool).success(question_.now);
    const Weights& weights = question_.weights;
    out.raw = millionths(weights.name * name + weights.doc * doc + weights.history * history);
    const double sum = static_cast<double>(out.raw) / kMillion;
    out.score = calibrated(sum, question_.calibration.slope, reached_);
    out.name_similarity = rounded(name);
    out.doc_keywords = rounded(doc);
    out.history_success = rounded(history);
    return out;
  }

  bool in_phrasings(std::uint32_t tool, std::string_view stem) const {
    const Nearness* phrasing = near(tool);
    if (phrasing == nullptr) return false;
    const Phrasings& all = experience_.phrasings();
    for (const std::uint32_t id : phrasing->nearest) {
      if (id == kNone) break;
      for (const std::uint32_t word : all[id].words) {
        if (all.word(word) == stem) return true;
      }
    }
    return false;
  }

  std::vector<std::string> matched(std::uint32_t tool) const {
    const std::uint64_t tokens = description_.tokens(tool);
    std::vector<std::uint64_t> bits;
    std::uint32_t content = 0;
    for (const Intent::Token& token : intent_.tokens) {
      bits.push_back(token.content && content < 64 ? std::uint64_t{1} << content : 0);
      content += token.content ? 1 : 0;
    }
    std::vector<std::string> out;
    for (const Intent::Word& word : intent_.words) {
      const bool has = (tokens & bits[word.token]) != 0;
      if (has || in_phrasings(tool, intent_.tokens[word.token].stem)) out.push_back(word.typed);
    }
    return out;
  }

  const Catalog& catalog_;
  const Experience& experience_;
  const Question& question_;
  Intent intent_;
  Description description_;
  Asked asked_;
  std::vector<Nearness> nearest_;
  Shares shares_;
  std::vector<NameCall> calls_;
  double learned_;
  double reached_;
  std::vector<Place> best_;
};

}  // namespace

Ranking rank(const Catalog& catalog, const Experience& experience, const Question& question) {
  return Ranker(catalog, experience, question).ranking();
}

double calibrated(double sum, double slope, double reached) {
  return rounded(simd::logistic(slope * (rounded(sum) - reached) + kLogOdds));
}

double relevance(const Catalog& catalog, const Experience& experience, std::string_view intent,
                 const Calibration& calibration) {
  Question question;
  question.intent = intent;
  question.most = 1;
  question.calibration = calibration;
  question.prior_history = true;
  const Ranking ranking = rank(catalog, experience, question);
  return ranking.tools.empty() ? 0.0 : ranking.tools.front().score;
}

}  // namespace prefrontal::routing
