// What saved models have in common: their magic words, and weights that are finite.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "csrc/simd/saved_bytes.hpp"

namespace prefrontal::pulse {

inline constexpr std::string_view kLinearMagic = "PFLM";
inline constexpr std::string_view kLstmMagic = "PFLS";

// Stands behind the version. Throws std::invalid_argument for anything that is not whole and of
// this magic and version.
class ModelReader : public simd::SavedReader {
 public:
  ModelReader(std::string_view bytes, std::string_view magic, std::uint32_t version)
      : SavedReader("model file", of_kind(bytes, magic), magic) {
    const auto stated = number<std::uint32_t>();
    if (stated != version) {
      throw std::invalid_argument("model file version must be " + std::to_string(version) +
                                  ", got " + std::to_string(stated));
    }
    verify();
  }

  float finite() {
    const auto value = number<float>();
    expect(std::isfinite(value), "hold finite weights, got others");
    return value;
  }

 private:
  static std::string_view of_kind(std::string_view bytes, std::string_view magic) {
    const bool linear = magic == kLinearMagic;
    if (bytes.starts_with(linear ? kLstmMagic : kLinearMagic)) {
      throw std::invalid_argument(linear ? "model file must hold linear modules, got LSTMs"
                                         : "model file must hold LSTMs, got linear modules");
    }
    return bytes;
  }
};

}  // namespace prefrontal::pulse
