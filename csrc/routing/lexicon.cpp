#include "csrc/routing/lexicon.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

// The file as it lies beside this one; it is four-byte aligned, and has no pointers.
asm(R"(
  .section .rodata
  .balign 8
  .globl prefrontal_lexicon
  .hidden prefrontal_lexicon
prefrontal_lexicon:
  .incbin ")" PREFRONTAL_LEXICON R"("
  .text
)");
extern "C" const std::uint8_t prefrontal_lexicon[];

namespace prefrontal::routing {
namespace {

static_assert(std::endian::native == std::endian::little, "the lexicon is little-endian");

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

class Lexicon {
 public:
  explicit Lexicon(const std::uint8_t* file)
      : stems_(number<std::uint32_t>(file + 4)),
        starts_(file + 12),
        letters_(starts_ + 4 * (std::size_t{stems_} + 1)),
        weights_(letters_ + number<std::uint32_t>(file + 8)),
        related_(weights_ + stems_),
        likeness_(related_ + 2 * kRelatives * stems_) {}

  std::uint32_t size() const { return stems_; }
  std::string_view stem(std::uint32_t at) const {
    const auto first = number<std::uint32_t>(starts_ + 4 * std::size_t{at});
    const auto last = number<std::uint32_t>(starts_ + 4 * (std::size_t{at} + 1));
    return {reinterpret_cast<const char*>(letters_) + first, last - first};
  }
  // size() where there is none.
  std::uint32_t find(std::string_view stem) const {
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
  double weight(std::uint32_t at) const { return weights_[at] / 255.0; }
  std::uint16_t related(std::uint32_t at, std::size_t i) const {
    return number<std::uint16_t>(related_ + 2 * (kRelatives * at + i));
  }
  double likeness(std::uint32_t at, std::size_t i) const {
    return likeness_[kRelatives * at + i] / 255.0;
  }

 private:
  std::uint32_t stems_;
  const std::uint8_t* starts_;
  const std::uint8_t* letters_;
  const std::uint8_t* weights_;
  const std::uint8_t* related_;
  const std::uint8_t* likeness_;
};

const Lexicon& lexicon() {
  static const Lexicon words(prefrontal_lexicon);
  return words;
}

}  // namespace

double lexical_weight(std::string_view stem) {
  const std::uint32_t at = lexicon().find(stem);
  return at == lexicon().size() ? 1.0 : 1.0 - kCommonness * (1.0 - lexicon().weight(at));
}

std::vector<NearStem> near_stems(std::string_view stem) {
  std::vector<NearStem> out;
  const std::uint32_t at = lexicon().find(stem);
  if (at == lexicon().size()) return out;
  for (std::size_t i = 0; i < kRelatives; ++i) {
    const std::uint16_t other = lexicon().related(at, i);
    if (other == kNoStem) break;
    out.push_back({lexicon().stem(other), kLikest * lexicon().likeness(at, i)});
  }
  return out;
}

}  // namespace prefrontal::routing
