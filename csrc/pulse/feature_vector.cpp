#include "csrc/pulse/feature_vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "csrc/simd/checksum.hpp"

namespace prefrontal::pulse {
namespace {

double delta_code(std::string_view delta_type) {
  if (delta_type == "created") return 1.0;
  if (delta_type == "tick") return 0.75;
  if (delta_type == "modified") return 0.5;
  return 0.0;
}

double source_code(std::string_view source) {
  if (source == "filesystem") return 1.0;
  if (source == "time") return 0.5;
  if (source == "memory") return 0.25;
  return 0.0;
}

// ln(1+size)/ln(1+full), capped at 1.
double size_code(double size, double full) {
  if (!(size > 0.0)) return 0.0;
  return std::min(1.0, std::log1p(size) / std::log1p(full));
}

constexpr double kFullFile = 1073741824.0;  // 2^30 bytes fill the slot
constexpr double kFullValue = 1048576.0;    // 2^20
constexpr double kHighestStatus = 600.0;

}  // namespace

double text_hash(std::string_view text) {
  if (text.empty()) return 0.0;
  return static_cast<double>(simd::crc32(text) % 1000U) / 1000.0;
}

void feature_vector(const Event& event, float* out) {
  std::fill(out, out + kFeatureDim, 0.0F);
  out[0] = static_cast<float>(event.magnitude);
  out[1] = static_cast<float>(delta_code(event.delta_type));
  out[2] = static_cast<float>(source_code(event.source));
  if (event.source == "time") {
    out[3] = static_cast<float>(event.hour_sin);
    out[4] = static_cast<float>(event.hour_cos);
    out[5] = static_cast<float>(event.dow_sin);
    out[6] = static_cast<float>(event.dow_cos);
    out[7] = static_cast<float>(event.minutes_since_last_activation);
  } else if (event.source == "filesystem") {
    out[8] = static_cast<float>(size_code(event.size_bytes, kFullFile));
    out[9] = static_cast<float>(std::min(1.0, event.directory_depth / 10.0));
    out[10] = static_cast<float>(text_hash(event.extension));
  } else if (event.source == "memory") {
    out[11] = static_cast<float>(size_code(event.value_length, kFullValue));
    out[12] = static_cast<float>(text_hash(event.key));
    out[15] = static_cast<float>(text_hash(event.name_space));
  } else if (event.source == "network") {
    const bool both = !event.content_hash.empty() && !event.previous_hash.empty();
    out[13] = static_cast<float>(event.status_code / kHighestStatus);
    out[14] = both && event.content_hash != event.previous_hash ? 1.0F : 0.0F;
    out[15] = static_cast<float>(text_hash(event.endpoint));
  }
}

}  // namespace prefrontal::pulse
