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

// Stands behind the version, which is 1 to `newest`. Throws std::invalid_argument for anything that
// is not whole and of this magic.
class ModelReader : public simd::SavedReader {
 public:
  ModelReader(std::string_view bytes, std::string_view magic, std::uint32_t newest)
      : SavedReader("model file", of_kind(bytes, magic), magic), version_(number<std::uint32_t>()) {
    if (version_ < 1 || version_ > newest) {
      throw std::invalid_argument("model file version must be " +
                                  std::string(newest > 1 ? "1 to " : "") + std::to_string(newest) +
                                  ", got " + std::to_string(version_));
    }
    verify();
  }

  std::uint32_t version() const { return version_; }

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

  std::uint32_t version_;
};

}  // namespace prefrontal::pulse
