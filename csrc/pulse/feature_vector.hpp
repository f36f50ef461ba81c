// The 16-slot vector of one event; slots and formulas are documented on SignalEvent.
#pragma once

#include "csrc/pulse/event.hpp"

namespace prefrontal::pulse {

inline constexpr int kFeatureDim = 16;

// out[0..15] is written whole. NaN and out-of-range magnitudes pass through unchanged.
void feature_vector(const Event& event, float* out);

// (crc32(bytes) mod 1000) / 1000, and 0 for the empty extension.
double extension_hash(std::string_view extension);

}  // namespace prefrontal::pulse
