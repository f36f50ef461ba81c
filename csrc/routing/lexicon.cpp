#include "csrc/routing/lexicon.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

// The file as it lies beside this one; it has no pointers.
asm(R"(
  .section .rodata
  .balign 8
  .globl prefrontal_lexicon
  .hidden prefrontal_lexicon
prefrontal_lexicon:
  .incbin ")" PREFRONTAL_LEXICON R"("
  .globl prefrontal_lexicon_end
  .hidden prefrontal_lexicon_end
prefrontal_lexicon_end:
  .text
)");
extern "C" const std::uint8_t prefrontal_lexicon[];
extern "C" const std::uint8_t prefrontal_lexicon_end[];

namespace prefrontal::routing {
namespace {

static_assert(std::endian::native == std::endian::little, "the lexicon is little-endian");

constexpr std::size_t kHead = 12;
constexpr std::size_t kRelatives = 16;
constexpr std::uint16_t kNoStem = 0xFFFFU;
constexpr double kCommonness = 0.5;  // of a weight
constexpr double kLikest = 0.8;

template <class T>
T number(const std::uint8_t* at) {
  T out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

std::invalid_argument damaged(const std::string& rule) {
  return std::invalid_argument("lexicon must " + rule);
}

const Lexicon& lexicon() {
  static const Lexicon words = [] {
    try {
      return Lexicon({prefrontal_lexicon, prefrontal_lexicon_end});
    } catch (const std::invalid_argument& fault) {
      throw std::runtime_error(
          std::string("this build of prefrontal is damaged, install it again: ") + fault.what());
    }
  }();
  return words;
}

}  // namespace

Lexicon::Lexicon(std::span<const std::uint8_t> file) {
  if (file.size() < kHead || std::memcmp(file.data(), "PFLX", 4) != 0)
    throw damaged("begin with PFLX and two counts, got " + std::to_string(file.size()) + " bytes");
  stems_ = number<std::uint32_t>(file.data() + 4);
  letters_count_ = number<std::uint32_t>(file.data() + 8);
  const std::uint64_t stems = stems_;
  const std::uint64_t size =
      kHead + 4 * (stems + 1) + letters_count_ + (1 + 3 * kRelatives) * stems;
  if (stems >= kNoStem) throw damaged("have fewer than 65,535 stems, got " + std::to_string(stems));
  if (file.size() != size) {
    throw damaged("have " + std::to_string(size) + " bytes for its " + std::to_string(stems) +
                  " stems, got " + std::to_string(file.size()));
  }
  starts_ = file.data() + kHead;
  letters_ = starts_ + 4 * (stems + 1);
  weights_ = letters_ + letters_count_;
  related_ = weights_ + stems;
  likeness_ = related_ + 2 * kRelatives * stems;
  check();
}

// Only after this may a stem be read.
void Lexicon::check() const {
  bool rising = start(0) == 0 && start(stems_) == letters_count_;
  for (std::uint32_t at = 0; at < stems_; ++at) rising = rising && start(at) <= start(at + 1);
  if (!rising) throw damaged("have stems that lie one after the other");
  for (std::uint32_t at = 1; at < stems_; ++at) {
    if (stem(at - 1) >= stem(at)) throw damaged("have different stems in the order of their bytes");
  }
  for (std::size_t place = 0; place < kRelatives * stems_; ++place) {
    const std::uint16_t other = related(place);
    if (other >= stems_ && other != kNoStem)
      throw damaged("relate stems of its own, got number " + std::to_string(other));
  }
}

std::uint32_t Lexicon::start(std::uint32_t at) const {
  return number<std::uint32_t>(starts_ + 4 * std::size_t{at});
}

std::uint16_t Lexicon::related(std::size_t place) const {
  return number<std::uint16_t>(related_ + 2 * place);
}

std::string_view Lexicon::stem(std::uint32_t at) const {
  return {reinterpret_cast<const char*>(letters_) + start(at), start(at + 1) - start(at)};
}

std::uint32_t Lexicon::find(std::string_view stem) const {
  std::uint32_t low = 0;
  std::uint32_t high = stems_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (this->stem(middle) < stem) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < stems_ && this->stem(low) == stem ? low : stems_;
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
