// Hour and weekday of a Unix time, in local time or UTC.
#pragma once

namespace prefrontal::pulse {

enum class Zone { local, utc };

struct CivilTime {
  int hour = 0;     // 0..23
  int weekday = 0;  // Monday = 0
  bool valid = false;
};

// Not valid for NaN, infinities and years beyond the calendar (|t| > 1e11 s).
CivilTime civil_time(double timestamp, Zone zone);

// Hour and weekday back from their sine and cosine (24 h and 7 d periods).
CivilTime civil_time(double hour_sin, double hour_cos, double dow_sin, double dow_cos);

}  // namespace prefrontal::pulse
