// The 16-slot vector of one event; slots and formulas are documented on SignalEvent.
#pragma once

#include "csrc/pulse/event.hpp"

namespace prefrontal::pulse {

inline constexpr int kFeatureDim = 16;

// out[0..15] is written whole. NaN and out-of-range magnitudes pass through unchanged.
void feature_vector(const Event& event, float* out);

// (crc32(bytes) mod 1000) / 1000, and 0 for no bytes: of an extension, a key, a namespace.
double text_hash(std::string_view text);

}  // namespace prefrontal::pulse
