#include "csrc/pulse/feature_vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "csrc/pulse/checksum.hpp"

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

double size_code(double size_bytes) {
  if (!(size_bytes > 0.0)) return 0.0;
  static const double scale = std::log1p(1073741824.0);  // 2^30 bytes fill the slot
  return std::min(1.0, std::log1p(size_bytes) / scale);
}

}  // namespace

double extension_hash(std::string_view extension) {
  if (extension.empty()) return 0.0;
  return static_cast<double>(crc32(extension) % 1000U) / 1000.0;
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
    out[8] = static_cast<float>(size_code(event.size_bytes));
    out[9] = static_cast<float>(std::min(1.0, event.directory_depth / 10.0));
    out[10] = static_cast<float>(extension_hash(event.extension));
  }
}

}  // namespace prefrontal::pulse
