#include "csrc/routing/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "csrc/routing/candidates.hpp"
#include "csrc/routing/description.hpp"
#include "csrc/routing/matched_words.hpp"
#include "csrc/routing/meaning_likeness.hpp"
#include "csrc/simd/exponential.hpp"
#include "csrc/simd/log.hpp"

namespace prefrontal::routing {
namespace {

constexpr double kMillion = 1e6;
constexpr double kLogOdds = 0.40546510810816438;  // ln 1.5: odds of a score of .6
constexpr double kMostLearned = 0.7;              // the largest part of D that learning gets
constexpr double kTerse = 0.2;                    // so much more where there is no text but a name
constexpr double kNameText = 0.8;                 // Fact::text of a long name
constexpr double kLineText = 1.6;                 // of a short line
constexpr double kMostGap = 0.5;
// What score_map.hpp was fitted on: beyond, the nearest value counts.
constexpr double kMostText = 5.0;
constexpr double kMostWords = 3.4;
constexpr double kLeastTools = 1.6;
constexpr double kMostTools = 5.9;
constexpr std::uint32_t kFewest = 5;  // tools; with fewer no score is raised
// Below .6 the log odds of many tools with much learned are this part nearer to it, up to so much:
// the terms are fitted with prompts that mean none counting more than there are.
constexpr double kNearer = 0.6;
constexpr double kMostNearer = 0.6;
constexpr double kMuchLearned = 0.85;
constexpr double kAllLearned = 0.95;
constexpr double kManyTools = 4.0;  // ln 55
constexpr double kWholeTools = 4.6;
constexpr std::uint32_t kCompared = 1024;  // tools whose meanings are all compared
constexpr std::uint32_t kRefined = 10;     // of more tools, the best by words
constexpr double kSlack = 2e-6;            // more than rounding to millionths moves a sum
constexpr double kMeaningShare = 0.4;      // of a description, where nothing is covered
constexpr double kTaughtShare = 0.4;       // of D, where all was learned
constexpr double kMarginShare = 0.7;       // of what learning says, the rest is by shares
// Among few tools a word in common tells less of which is meant: D is mixed with likeness.
constexpr double kMeantShare = 0.45;  // of D, before anything was learned
constexpr double kFewTools = 3.0;     // ln 20: up to so many
constexpr double kNotFewTools = 4.1;  // ln 60: none of D from here on
constexpr double kSame = 0.6;         // cosine from which a prompt is like an accepted one

std::int64_t millionths(double value) {
  return static_cast<std::int64_t>(std::floor(value * kMillion + 0.5));
}

double of(const Evidence& evidence, Fact fact) { return evidence[static_cast<std::size_t>(fact)]; }

double rounded(double value) { return static_cast<double>(millionths(value)) / kMillion; }

void set(Evidence& evidence, Fact fact, double value) {
  evidence[static_cast<std::size_t>(fact)] = rounded(value);
}

class Ranker {
 public:
  Ranker(const Catalog& catalog, const Experience& experience, const Question& question)
      : catalog_(catalog),
        experience_(experience),
        question_(question),
        intent_(question.intent),
        description_(catalog, intent_, question.relatives),
        asked_(experience.phrasings().ask(intent_)),
        nearest_(experience.phrasings().nearest(asked_)),
        shares_(experience.shares_model().shares(asked_.words, asked_.x, catalog.tools())),
        margins_(experience.margin_model().margins(asked_.features, catalog.tools())),
        calls_(name_calls(catalog, question.intent)),
        meanings_(catalog, experience, intent_, question.similarities, question.word_vectors) {
    const double n = experience.phrasings().size();
    learned_ = n > 0.0 ? n / (n + catalog.tools()) : 0.0;
    meant_ = meant_part();
  }

  Ranking ranking() {
    gather();
    const std::size_t n = std::min<std::size_t>(most(), best_.size());
    std::partial_sort(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(n), best_.end());
    Ranking out{{}, learned_, {}};
    for (std::size_t i = 0; i < n; ++i) out.tools.push_back(judged(best_[i].tool));
    out.evidence = evidence(without_copies(out.tools));
    const auto first = std::span<const Ranked>(out.tools).first(std::min(kFirst, n));
    const std::size_t one = std::min<std::size_t>(n, 1);
    const double of_best = std::min(success(first.first(one)), success(first.subspan(one)));
    const double lowest = reached(out) + of_best;
    const double highest = std::max(lowest, plain_reached() + success(first));
    out.tools.resize(std::min<std::size_t>(n, question_.most));
    const bool tells = question_.joined && question_.relatives;
    const auto near_words = tells ? joints(catalog_, intent_) : std::vector<Joint>();
    for (Ranked& ranked : out.tools) {
      ranked.reached = ranked.raw == out.tools[0].raw ? lowest : highest;
      const double sum = static_cast<double>(ranked.raw) / kMillion;
      ranked.score = calibrated(sum, question_.calibration.slope, ranked.reached);
      const auto tokens = description_.tokens(ranked.tool);
      ranked.matched = matched(intent_, tokens, experience_.phrasings(), near(ranked.tool));
      ranked.joined = joined(catalog_, intent_, ranked.tool, ranked.matched, near_words);
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

  // The gap to the next tool counts, so there must be one.
  std::uint32_t most() const {
    return std::max(question_.most, static_cast<std::uint32_t>(kFirst));
  }

  // The first ones, less those with the name and the fit of the best: they are no rivals.
  std::vector<Ranked> without_copies(const std::vector<Ranked>& best) const {
    std::vector<Ranked> out;
    for (std::size_t i = 0; i < std::min(kFirst, best.size()); ++i) {
      const bool alike = i > 0 && best[i].description == best[0].description;
      if (!alike || !same_name(catalog_, best[0].tool, best[i].tool)) out.push_back(best[i]);
    }
    return out;
  }

  Evidence evidence(const std::vector<Ranked>& best) const {
    Evidence out{};
    if (best.empty()) return out;
    const Ranked& first = best[0];
    const auto put = [&](Fact fact, double value) { set(out, fact, value); };
    const auto count = [](double n) { return simd::natural_log(1.0 + n); };
    std::size_t words = 0;
    for (const Intent::Token& token : intent_.tokens) words += token.content ? 1 : 0;
    put(Fact::one, 1.0);
    put(Fact::gap, gap(best));
    put(Fact::covered, description_.covered(first.tool));
    put(Fact::known, description_.known());
    put(Fact::description, first.description);
    put(Fact::name, description_.name_coverage(first.tool));
    put(Fact::phrasing, first.phrasing);
    put(Fact::linear, learned_ > 0.0 ? std::sqrt(first.linear) : 0.0);
    put(Fact::text, std::min(text_size(first.tool), kMostText));
    put(Fact::phrasings, count(static_cast<double>(experience_.phrasings().of(first.tool))));
    put(Fact::words, std::min(count(static_cast<double>(words)), kMostWords));
    put(Fact::tools, std::clamp(simd::natural_log(catalog_.tools()), kLeastTools, kMostTools));
    put(Fact::learned, learned_);
    put(Fact::accepted, first.accepted);
    put(Fact::heard, heard());
    put(Fact::likeness, first.likeness);
    put(Fact::meaning_lead, 0.5 * (1.0 + meanings_.lead(first.tool)));
    put_lead(out, best);
    return out;
  }

  // ln(1 + the words of its texts), by their weight.
  double text_size(std::uint32_t tool) const {
    const double length = catalog_.text_scale[tool] * catalog_.highest_idf();
    return length > 0.0 ? simd::natural_log(1.0 + 1.0 / (length * length)) : 0.0;
  }

  // The part of D that learning gets. Tools of which it knows nothing have the same, so that only
  // their texts tell them apart (candidates.hpp).
  double learned_part(std::uint32_t tool, const Nearness* phrasing) const {
    if (phrasing == nullptr) return kMostLearned * learned_;
    const double above = std::clamp(text_size(tool), kNameText, kLineText) - kNameText;
    return (kMostLearned + kTerse - kTerse / (kLineText - kNameText) * above) * learned_;
  }

  double heard() const {
    const double words = static_cast<double>(asked_.words.size());
    return words > 0.0 ? words / (words + asked_.unknown) : 0.0;
  }

  // What sets the best apart from the next ones.
  void put_lead(Evidence& out, const std::vector<Ranked>& best) const {
    double all = 1.0;
    double linear = 0.0;
    double description = 0.0;
    double covered = 0.0;
    for (std::size_t i = 1; i < best.size(); ++i) {
      const double behind = static_cast<double>(best[0].fit - best[i].fit) / kMillion;
      all += simd::exponential(-20.0 * std::max(0.0, behind));
      linear = std::max(linear, std::sqrt(best[i].linear));
      description = std::max(description, best[i].description);
      covered = std::max(covered, description_.covered(best[i].tool));
    }
    const double lead = learned_ > 0.0 ? std::sqrt(best[0].linear) - linear : 0.0;
    const auto put = [&](Fact fact, double value) { set(out, fact, value); };
    put(Fact::share, 1.0 / all);
    put(Fact::linear_lead, 0.5 * (1.0 + lead));
    put(Fact::description_lead, 0.5 * (1.0 + best[0].description - description));
    put(Fact::covered_lead, 0.5 * (1.0 + description_.covered(best[0].tool) - covered));
  }

  double gap(const std::vector<Ranked>& best) const {
    std::int64_t next = 0;
    for (std::size_t i = 1; i < best.size(); ++i) next = std::max(next, best[i].fit);
    return std::clamp(static_cast<double>(best[0].fit - next) / kMillion, 0.0, kMostGap);
  }

  double plain_reached() const {
    const Calibration& map = question_.calibration;
    return map.cold + (map.learned - map.cold) * learned_;
  }

  // Where the best tool's score is .6.
  double reached(const Ranking& ranking) const {
    const double plain = plain_reached();
    if (ranking.tools.empty() || ranking.tools[0].name_words > 0) return plain;
    const Ranked& best = ranking.tools[0];
    const double moved = plain - (kCold + (kLearned - kCold) * learned_);
    const double odds = above_tau(ranking);
    const double fitted = rounded(best.plain - odds / kSlope + moved);
    if (fitted < plain) return catalog_.tools() < kFewest ? plain : fitted;
    const bool whole =
        of(ranking.evidence, Fact::name) == 1.0 && of(ranking.evidence, Fact::covered) == 1.0;
    const bool sure = whole || best.accepted >= kSame;
    return sure ? std::max(plain, std::min(fitted, rounded(best.plain))) : fitted;
  }

  // What success adds to the sums of all of these, and so tells none apart.
  double success(std::span<const Ranked> tools) const {
    double sum = 0.0;
    for (const Ranked& ranked : tools) sum += ranked.history_success;
    const double mean = tools.empty() ? kPrior : sum / static_cast<double>(tools.size());
    return question_.weights.history * std::max(0.0, mean - kPrior);
  }

  // The log odds, less those of a score of .6.
  double above_tau(const Ranking& ranking) const {
    const Evidence& evidence = ranking.evidence;
    const double odds = log_odds(evidence) - kLogOdds;
    const double part = risen(of(evidence, Fact::learned), kMuchLearned, kAllLearned) *
                        risen(of(evidence, Fact::tools), kManyTools, kWholeTools);
    return odds < 0.0 ? odds + std::min(-kNearer * odds, kMostNearer) * part : odds;
  }

  static double risen(double value, double low, double high) {
    return std::clamp((value - low) / (high - low), 0.0, 1.0);
  }

  void gather() {
    std::vector<std::uint32_t> known;
    for (const NameCall& call : calls_) known.push_back(call.tool);
    for (const Nearness& near : nearest_) known.push_back(near.tool);
    known.insert(known.end(), shares_.tools.begin(), shares_.tools.end());
    known.insert(known.end(), margins_.tools.begin(), margins_.tools.end());
    for (const auto& [tool, record] : experience_.records()) known.push_back(tool);
    if (meant_ > 0.0 || !question_.similarities.empty() || !question_.successes.empty()) {
      known.resize(catalog_.tools());
      std::iota(known.begin(), known.end(), 0U);
    }
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const double part = kMostLearned * learned_;
    const Weights& weights = question_.weights;
    const Mixture mixture{weights.name, weights.doc * (1.0 - part)};
    const std::uint32_t most = compares_few() ? std::max(this->most(), kRefined) : this->most();
    auto found = candidates(catalog_, description_, most, mixture, known);
    if (meant_ > 0.0) meant_ *= 1.0 - most_held(found);
    if (meanings_.by_vectors()) compare(found, known, mixture);
    for (const std::uint32_t tool : found) {
      const Ranked ranked = judged(tool);
      best_.push_back({ranked.name_words, ranked.raw, tool});
    }
  }

  bool compares_few() const { return meanings_.by_vectors() && catalog_.tools() > kCompared; }

  // Compares all tools, and adds to those found what is raised among the best; of many the known
  // ones and the kRefined that words put first, which it only raises.
  void compare(std::vector<std::uint32_t>& found, const std::vector<std::uint32_t>& known,
               const Mixture& mixture) {
    std::vector<std::uint32_t> tools;
    if (compares_few()) {
      std::ranges::set_union(best_by_words(found, mixture), known, std::back_inserter(tools));
      return meanings_.compare(std::move(tools));
    }
    tools.resize(catalog_.tools());
    std::iota(tools.begin(), tools.end(), 0U);
    meanings_.compare(std::move(tools));
    std::vector<std::uint32_t> unknown;
    std::ranges::set_difference(found, known, std::back_inserter(unknown));
    const std::vector<std::uint32_t> more = contenders(unknown, mixture);
    found.insert(found.end(), more.begin(), more.end());
    std::ranges::sort(found);
  }

  double by_words(std::uint32_t tool, const Mixture& mixture) const {
    return mixture.added(description_.name(tool), description_.text(tool));
  }

  std::vector<std::uint32_t> best_by_words(const std::vector<std::uint32_t>& tools,
                                           const Mixture& mixture) const {
    std::vector<std::pair<double, std::uint32_t>> values;
    for (const std::uint32_t tool : tools) values.emplace_back(-by_words(tool, mixture), tool);
    const std::size_t n = std::min<std::size_t>(kRefined, values.size());
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(n);
    std::partial_sort(values.begin(), nth, values.end());
    std::vector<std::uint32_t> out;
    for (auto at = values.begin(); at != nth; ++at) out.push_back(at->second);
    std::ranges::sort(out);
    return out;
  }

  // Of tools that nothing is known of. What was not found has at most the words of the last one of
  // the best.
  std::vector<std::uint32_t> contenders(const std::vector<std::uint32_t>& found,
                                        const Mixture& mixture) {
    const Weights& weights = question_.weights;
    const auto raised = [&](std::uint32_t tool) {
      return weights.name * description_.name(tool) + weights.doc * doc_feature(tool, nullptr);
    };
    const double by_likeness = mixture.text * kMeaningShare + weights.doc * learned_bonus();
    const double unheard = (1.0 - kMarginShare) * std::sqrt(shares_.other);
    const double by_rest = weights.doc * kMostLearned * learned_ * unheard;
    std::vector<double> before;
    std::vector<double> after;
    for (const std::uint32_t tool : found) {
      before.push_back(by_words(tool, mixture));
      after.push_back(raised(tool));
    }
    const double highest = nth_largest(before);
    const double least = nth_largest(after) - kSlack;
    std::vector<std::uint32_t> out;
    for (std::uint32_t tool = 0; tool < catalog_.tools(); ++tool) {
      const double most = highest + by_rest + by_likeness * meanings_.likeness(tool);
      if (most >= least && !description_.has(tool)) out.push_back(tool);
    }
    description_.read(out);
    std::erase_if(out, [&](std::uint32_t tool) { return raised(tool) < least; });
    return out;
  }

  // Of as many as are asked for; 0 of fewer.
  double nth_largest(std::vector<double>& values) const {
    if (values.size() < most()) return 0.0;
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(most() - 1);
    std::ranges::nth_element(values, nth, std::ranges::greater());
    return *nth;
  }

  // What it is described by, raised by its meaning.
  double text(std::uint32_t tool) const {
    const double description = description_.text(tool);
    const double likeness = meanings_.likeness(tool);
    if (!meanings_.by_vectors() || likeness <= description) return description;
    const double part = kMeaningShare * (1.0 - description_.covered(tool));
    return description + part * (likeness - description);
  }

  // What its likeness adds to D besides.
  double learned_bonus() const { return meanings_.by_vectors() ? kTaughtShare * learned_ : 0.0; }

  // What both models say.
  double learned(std::uint32_t tool) const {
    const double margin = std::clamp(margins_.margin(tool), 0.0, 1.0);
    return kMarginShare * margin + (1.0 - kMarginShare) * std::sqrt(shares_.share(tool));
  }

  // The fourth power of the largest part of the prompt that one tool's texts have.
  double most_held(const std::vector<std::uint32_t>& tools) const {
    double held = 0.0;
    for (const std::uint32_t tool : tools) held = std::max(held, description_.covered(tool));
    return held * held * (held * held);
  }

  // The part of D that likeness gets among few tools, less where much was learned.
  double meant_part() const {
    if (!meanings_.by_vectors() || catalog_.tools() < kFewest) return 0.0;
    const double square = learned_ * learned_;
    const double tools = simd::natural_log(catalog_.tools());
    return kMeantShare * (1.0 - square * square) * (1.0 - risen(tools, kFewTools, kNotFewTools));
  }

  // D, as if it was never refused.
  double doc_feature(std::uint32_t tool, const Nearness* phrasing) const {
    const double part = learned_part(tool, phrasing);
    const double doc = (1.0 - part) * text(tool) + part * learned(tool);
    const double likeness = meanings_.likeness(tool);
    if (meanings_.by_embedder()) return doc + question_.similarity_share * (likeness - doc);
    const double all = std::min(1.0, doc + learned_bonus() * likeness);
    return meant_ > 0.0 ? all + meant_ * (likeness - all) : all;
  }

  std::uint32_t name_words(std::uint32_t tool) const {
    const auto at = std::ranges::lower_bound(calls_, tool, {}, &NameCall::tool);
    return at == calls_.end() || at->tool != tool ? 0 : at->words;
  }

  const Nearness* near(std::uint32_t tool) const {
    const auto at = std::ranges::lower_bound(nearest_, tool, {}, &Nearness::tool);
    return at == nearest_.end() || at->tool != tool ? nullptr : &*at;
  }

  double success(std::uint32_t tool) const {
    if (question_.prior_history) return kPrior;
    if (!question_.successes.empty()) return question_.successes[tool];
    return experience_.record(tool).success(question_.now);
  }

  Ranked judged(std::uint32_t tool) const {
    Ranked out{};
    out.tool = tool;
    const Nearness* phrasing = near(tool);
    out.phrasing = phrasing == nullptr ? 0.0 : phrasing->nearness;
    out.accepted = phrasing == nullptr ? 0.0 : phrasing->highest;
    out.nearest = phrasing == nullptr ? kNone : phrasing->nearest[0];
    out.description = description_.text(tool);
    out.linear = shares_.share(tool);
    out.margin = margins_.margin(tool);
    double name = std::max(description_.name(tool), out.phrasing);
    double doc = doc_feature(tool, phrasing);
    out.likeness = rounded(meanings_.likeness(tool));
    const Weights& weights = question_.weights;
    out.plain = weights.name * name + weights.doc * doc + weights.history * kPrior;
    out.refused = experience_.refused(tool, intent_);
    const double kept = 1.0 - out.refused * out.refused * out.refused;
    name *= kept;
    doc *= kept;
    out.name_words = name_words(tool);
    if (out.name_words > 0) name = doc = 1.0;
    const double history = success(tool);
    out.raw = millionths(weights.name * name + weights.doc * doc + weights.history * history);
    out.fit = millionths(weights.name * name + weights.doc * doc + weights.history * kPrior);
    out.name_similarity = rounded(name);
    out.doc_keywords = rounded(doc);
    out.history_success = rounded(history);
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
  Margins margins_;
  std::vector<NameCall> calls_;
  double learned_;
  double meant_;
  MeaningLikeness meanings_;
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
                 const Calibration& calibration, bool relatives, bool word_vectors) {
  Question question;
  question.intent = intent;
  question.most = 1;
  question.calibration = calibration;
  question.prior_history = true;
  question.relatives = relatives;
  question.word_vectors = word_vectors;
  const Ranking ranking = rank(catalog, experience, question);
  return ranking.tools.empty() ? 0.0 : ranking.tools.front().score;
}

}  // namespace prefrontal::routing
