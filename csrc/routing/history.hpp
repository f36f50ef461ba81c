// How often each tool was right: (ok + 1) / (ok + failed + 2), where old events fade.
#pragma once

#include <cstdint>

namespace prefrontal::routing {

constexpr double kNoTime = -1.0;
constexpr double kPrior = 0.5;  // of a tool that was never tried

struct Moment {
  double unix_s = kNoTime;       // kNoTime: nothing fades
  double half_life_days = 30.0;  // above 0
};

struct Record {
  double ok = 0.0;
  double failed = 0.0;
  double at_s = kNoTime;  // the moment that both belong to
  double given = -1.0;    // 0..1: stands for the formula

  Record faded(const Moment& now) const;
  double success(const Moment& now) const;
};

}  // namespace prefrontal::routing
