#include "csrc/routing/stem_table.hpp"

#include <bit>

namespace prefrontal::routing {

static_assert(std::endian::native == std::endian::little, "files of stems are little-endian");

StemTable::StemTable(const std::uint8_t* starts, std::uint32_t stems, std::uint32_t letters,
                     const std::string& what)
    : stems_(stems), starts_(starts), letters_(starts + 4 * (std::size_t{stems} + 1)) {
  bool rising = start(0) == 0 && start(stems) == letters;
  for (std::uint32_t at = 0; at < stems; ++at) rising = rising && start(at) <= start(at + 1);
  if (!rising) throw std::invalid_argument(what + " must have stems that lie one after the other");
  for (std::uint32_t at = 1; at < stems; ++at) {
    if (stem(at - 1) >= stem(at))
      throw std::invalid_argument(what + " must have different stems in the order of their bytes");
  }
}

std::uint32_t StemTable::find(std::string_view stem) const {
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

}  // namespace prefrontal::routing
