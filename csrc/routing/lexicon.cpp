#include "csrc/routing/lexicon.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "csrc/routing/in_module.hpp"

PREFRONTAL_IN_MODULE(prefrontal_lexicon, PREFRONTAL_LEXICON);

namespace prefrontal::routing {
namespace {

constexpr std::size_t kHead = 12;
constexpr std::size_t kRelatives = 16;
constexpr std::uint16_t kNoStem = 0xFFFFU;
constexpr double kCommonness = 0.5;  // of a weight
constexpr double kLikest = 0.8;

std::invalid_argument damaged(const std::string& rule) {
  return std::invalid_argument("lexicon must " + rule);
}

const Lexicon& lexicon() {
  static const auto words = in_module<Lexicon>({prefrontal_lexicon, prefrontal_lexicon_end});
  return words;
}

}  // namespace

Lexicon::Lexicon(std::span<const std::uint8_t> file) {
  if (file.size() < kHead || std::memcmp(file.data(), "PFLX", 4) != 0)
    throw damaged("begin with PFLX and two counts, got " + std::to_string(file.size()) + " bytes");
  const auto stems = number_at<std::uint32_t>(file.data() + 4);
  const auto letters = number_at<std::uint32_t>(file.data() + 8);
  const std::uint64_t table = StemTable::bytes(stems, letters);
  const std::uint64_t size = kHead + table + (1 + 3 * kRelatives) * std::uint64_t{stems};
  if (stems >= kNoStem) throw damaged("have fewer than 65,535 stems, got " + std::to_string(stems));
  if (file.size() != size) {
    throw damaged("have " + std::to_string(size) + " bytes for its " + std::to_string(stems) +
                  " stems, got " + std::to_string(file.size()));
  }
  stems_ = StemTable(file.data() + kHead, stems, letters, "lexicon");
  weights_ = file.data() + kHead + table;
  related_ = weights_ + stems;
  likeness_ = related_ + 2 * kRelatives * std::size_t{stems};
  for (std::size_t place = 0; place < kRelatives * std::size_t{stems}; ++place) {
    const std::uint16_t other = related(place);
    if (other >= stems && other != kNoStem)
      throw damaged("relate stems of its own, got number " + std::to_string(other));
  }
}

std::uint16_t Lexicon::related(std::size_t place) const {
  return number_at<std::uint16_t>(related_ + 2 * place);
}

double Lexicon::weight(std::uint32_t at) const {
  return 1.0 - kCommonness * (1.0 - weights_[at] / 255.0);
}

std::vector<NearStem> Lexicon::near_stems(std::uint32_t at) const {
  std::vector<NearStem> out;
  for (std::size_t place = kRelatives * at; place < kRelatives * (at + std::size_t{1}); ++place) {
    if (related(place) == kNoStem) break;
    out.push_back({stem(related(place)), kLikest * (likeness_[place] / 255.0)});
  }
  return out;
}

double lexical_weight(std::string_view stem) {
  const std::uint32_t at = lexicon().find(stem);
  return at == lexicon().size() ? 1.0 : lexicon().weight(at);
}

std::vector<NearStem> near_stems(std::string_view stem) {
  const std::uint32_t at = lexicon().find(stem);
  return at == lexicon().size() ? std::vector<NearStem>() : lexicon().near_stems(at);
}

}  // namespace prefrontal::routing
