// CRC-32 (IEEE 802.3, the one zlib computes).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prefrontal::simd {

inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> rows{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1U) ? (c >> 1U) ^ 0xEDB88320U : c >> 1U;
      rows[i] = c;
    }
    return rows;
  }();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (unsigned char byte : bytes) crc = table[(crc ^ byte) & 0xFFU] ^ (crc >> 8U);
  return crc ^ 0xFFFFFFFFU;
}

}  // namespace prefrontal::simd
