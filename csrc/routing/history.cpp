#include "csrc/routing/history.hpp"

#include "csrc/simd/exponential.hpp"

namespace prefrontal::routing {

Record Record::faded(const Moment& now) const {
  Record out = *this;
  if (now.unix_s == kNoTime) return out;
  if (at_s != kNoTime && now.unix_s > at_s) {
    const double half_lives = (now.unix_s - at_s) / (now.half_life_days * 86400.0);
    const double left = simd::exponential(-0.69314718055994531 * half_lives);
    out.ok *= left;
    out.failed *= left;
  }
  if (at_s == kNoTime || now.unix_s > at_s) out.at_s = now.unix_s;
  return out;
}

double Record::success(const Moment& now) const {
  if (given >= 0.0) return given;
  const Record here = faded(now);
  return (here.ok + 1.0) / (here.ok + here.failed + 2.0);
}

}  // namespace prefrontal::routing
