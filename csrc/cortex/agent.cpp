#include "csrc/cortex/agent.hpp"

#include <algorithm>
#include <cmath>

namespace prefrontal::cortex {

double Agent::earliest_promise() const {
  double earliest = -kNever;
  for (const Commitment& each : commitments) earliest = std::min(earliest, each.due_s);
  return earliest;
}

double Agent::deadline(const Thresholds& thresholds) const {
  if (running) return -kNever;
  double due = -kNever;
  if ((thresholds.farming && signs.waiting > 0) || (thresholds.new_peer && new_peers.waiting > 0) ||
      (thresholds.count && interactions.waiting >= *thresholds.count)) {
    due = kNever;
  } else {
    if (thresholds.promise_timeout) due = earliest_promise();
    if (thresholds.period_s && interactions.waiting > 0)
      due = std::min(due, since_s + *thresholds.period_s);
  }
  return std::max(due, hold_s);
}

unsigned Agent::triggers(const Thresholds& thresholds, double now) const {
  if (running || now < hold_s) return 0;
  unsigned fired = 0;
  if (thresholds.promise_timeout && earliest_promise() <= now) fired |= kPromiseTimeout;
  if (thresholds.farming && signs.waiting > 0) fired |= kFarming;
  if (thresholds.new_peer && new_peers.waiting > 0) fired |= kNewPeer;
  if (thresholds.count && interactions.waiting >= *thresholds.count) fired |= kInteractionCount;
  if (thresholds.period_s && interactions.waiting > 0 && now >= since_s + *thresholds.period_s)
    fired |= kTimer;
  return fired;
}

void Agent::begin(const Thresholds& thresholds, double now) {
  running = true;
  ++cycles;
  interactions.begin();
  new_peers.begin();
  signs.begin();
  for (Commitment& each : commitments)
    each.in_cycle = thresholds.promise_timeout && each.due_s <= now;
}

void Agent::fail(const Thresholds& thresholds, double now) {
  running = false;
  for (Commitment& each : commitments) each.in_cycle = false;
  const double doublings = std::min(failures, 60U);
  hold_s = now + std::min(thresholds.retry_limit_s, std::ldexp(thresholds.retry_s, doublings));
  if (failures < UINT32_MAX) ++failures;
}

}  // namespace prefrontal::cortex
