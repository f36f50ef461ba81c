// One agent: what came in since its last finished cycle, and when it is to reflect next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "csrc/cortex/peers.hpp"
#include "csrc/cortex/thresholds.hpp"

namespace prefrontal::cortex {

// Bits of the triggers, in order of precedence.
enum Trigger : unsigned {
  kPromiseTimeout = 1,
  kFarming = 2,
  kNewPeer = 4,
  kInteractionCount = 8,
  kTimer = 16,
};

// Something that a peer promised and that has not been answered by a message.
struct Commitment {
  std::string key;
  std::uint32_t peer = kNone;  // a name
  double due_s = 0.0;
  bool in_cycle = false;  // overdue when the running cycle began
};

// Signs that wait for a cycle, and how many of them the running one looks at.
struct Pending {
  std::uint64_t waiting = 0;
  std::uint64_t in_cycle = 0;

  void begin() { in_cycle = waiting; }
  void finish() { waiting -= in_cycle; }
};

struct Agent {
  std::int64_t id = 0;
  double since_s = kNever;    // the last finished cycle, before it the first push
  double hold_s = kNever;     // nothing is due before: back-off after a failed cycle
  double queued_s = -kNever;  // the time under which it stands in the queue; never: it does not
  Pending interactions;
  Pending new_peers;
  Pending signs;  // of farming
  PeerList peers;
  std::uint32_t failures = 0;  // in a row
  std::uint32_t cycles = 0;    // begun since the engine was made
  bool running = false;
  bool listed = false;  // among those to be looked at when asked what is due
  std::unique_ptr<const Thresholds> own;
  std::vector<Commitment> commitments;

  // The earliest time at which a cycle is due when nothing more happens; infinity: none is.
  double deadline(const Thresholds& thresholds) const;
  unsigned triggers(const Thresholds& thresholds, double now) const;

  void begin(const Thresholds& thresholds, double now);
  void fail(const Thresholds& thresholds, double now);

 private:
  double earliest_promise() const;
};

}  // namespace prefrontal::cortex
