#include "csrc/pulse/civil_time.hpp"

#include <cmath>
#include <cstdint>
#include <ctime>

namespace prefrontal::pulse {
namespace {

constexpr std::int64_t kQuarter = 900;  // zone offsets only change on quarter hours

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

// localtime_r takes a lock and rereads TZ; one call a quarter of an hour is enough.
std::int64_t local_offset(std::int64_t seconds) {
  thread_local std::int64_t cached_quarter = INT64_MIN;
  thread_local std::int64_t cached_offset = 0;
  const std::int64_t quarter = floor_div(seconds, kQuarter);
  if (quarter != cached_quarter) {
    std::time_t when = static_cast<std::time_t>(seconds);
    std::tm fields{};
    cached_offset = localtime_r(&when, &fields) ? fields.tm_gmtoff : 0;
    cached_quarter = quarter;
  }
  return cached_offset;
}

int nearest_step(double sine, double cosine, int steps) {
  const double turn = std::atan2(sine, cosine) / (2.0 * M_PI);
  const int step = static_cast<int>(std::lround(turn * steps));
  return ((step % steps) + steps) % steps;
}

}  // namespace

CivilTime civil_time(double timestamp, Zone zone) {
  if (!(std::fabs(timestamp) <= 1e11)) return {};
  std::int64_t seconds = static_cast<std::int64_t>(std::floor(timestamp));
  if (zone == Zone::local) seconds += local_offset(seconds);
  const std::int64_t day = floor_div(seconds, 86400);
  CivilTime civil;
  civil.hour = static_cast<int>((seconds - day * 86400) / 3600);
  civil.weekday = static_cast<int>(((day + 3) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
  civil.valid = true;
  return civil;
}

CivilTime civil_time(double hour_sin, double hour_cos, double dow_sin, double dow_cos) {
  const bool given = hour_sin * hour_sin + hour_cos * hour_cos > 0.25 &&
                     dow_sin * dow_sin + dow_cos * dow_cos > 0.25;
  if (!given) return {};
  return {nearest_step(hour_sin, hour_cos, 24), nearest_step(dow_sin, dow_cos, 7), true};
}

}  // namespace prefrontal::pulse
