// What saved models have in common: numbers and texts as little-endian bytes, between a magic word
// with a version and a checksum.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "csrc/simd/checksum.hpp"

namespace prefrontal::pulse {

static_assert(std::endian::native == std::endian::little, "saved models are little-endian");
inline constexpr std::string_view kLinearMagic = "PFLM";
inline constexpr std::string_view kLstmMagic = "PFLS";

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void append_text(std::string& out, const std::string& text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

struct Reader {
  std::string_view left;

  std::string_view take(std::size_t n) {
    if (left.size() < n) throw std::invalid_argument("model file must be whole, got a cut one");
    const std::string_view taken = left.substr(0, n);
    left.remove_prefix(n);
    return taken;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint32_t>())); }
  float finite() {
    const auto read = number<float>();
    if (!std::isfinite(read)) {
      throw std::invalid_argument("model file must hold finite weights, got others");
    }
    return read;
  }
};

// What stands between the version and the checksum. Throws std::invalid_argument for anything that
// is not whole and of this magic and version.
inline std::string_view checked_body(std::string_view bytes, std::string_view magic,
                                     std::uint32_t version) {
  const bool linear = magic == kLinearMagic;
  if (bytes.starts_with(linear ? kLstmMagic : kLinearMagic)) {
    throw std::invalid_argument(linear ? "model file must hold linear modules, got LSTMs"
                                       : "model file must hold LSTMs, got linear modules");
  }
  if (bytes.size() < 12 || !bytes.starts_with(magic)) {
    throw std::invalid_argument("model file must start with " + std::string(magic) +
                                ", got something else");
  }
  Reader reader{bytes.substr(magic.size(), bytes.size() - magic.size() - 4)};
  const auto found = reader.number<std::uint32_t>();
  if (found != version) {
    throw std::invalid_argument("model file version must be " + std::to_string(version) + ", got " +
                                std::to_string(found));
  }
  std::uint32_t stated = 0;
  std::memcpy(&stated, bytes.data() + bytes.size() - 4, 4);
  if (simd::crc32(bytes.substr(0, bytes.size() - 4)) != stated) {
    throw std::invalid_argument("model file must match its checksum, got a damaged one");
  }
  return reader.left;
}

}  // namespace prefrontal::pulse
