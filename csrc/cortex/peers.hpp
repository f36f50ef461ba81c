// The peers of every agent: found by agent and name, each agent's least recently seen one known.
#pragma once

#include <cstdint>

#include "csrc/cortex/peer_statistics.hpp"
#include "csrc/cortex/rows.hpp"
#include "csrc/cortex/slot_table.hpp"

namespace prefrontal::cortex {

struct Peer {
  PeerStatistics statistics;
  std::uint32_t agent = kNone;
  std::uint32_t name = kNone;
  std::uint32_t cycle = 0;      // of the agent, at the latest message
  std::uint32_t newer = kNone;  // in the order in which the agent saw them
  std::uint32_t older = kNone;
};

// The two ends of an agent's peers.
struct PeerList {
  std::uint32_t newest = kNone;
  std::uint32_t oldest = kNone;
  std::uint32_t size = 0;
};

class Peers {
 public:
  std::uint32_t find(std::uint32_t agent, std::uint32_t name) const;
  // The row of the peer that is added next, with all the memory that adding it needs.
  Peer& next();
  // A peer that is not there yet, as the newest of the list; after `next`.
  std::uint32_t add(PeerList& list, std::uint32_t agent, std::uint32_t name) noexcept;
  void remove(PeerList& list, std::uint32_t slot) noexcept;
  void make_newest(PeerList& list, std::uint32_t slot) noexcept;

  Peer& operator[](std::uint32_t slot) { return rows_[slot]; }
  const Peer& operator[](std::uint32_t slot) const { return rows_[slot]; }

 private:
  static std::uint64_t hash(std::uint32_t agent, std::uint32_t name) {
    return mixed((std::uint64_t{agent} << 32U) | name);
  }
  std::uint64_t hash_of(std::uint32_t slot) const {
    return hash(rows_[slot].agent, rows_[slot].name);
  }
  void link(PeerList& list, std::uint32_t slot);
  void unlink(PeerList& list, std::uint32_t slot);

  Rows<Peer> rows_;
  SlotTable table_;
};

}  // namespace prefrontal::cortex
