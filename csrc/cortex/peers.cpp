#include "csrc/cortex/peers.hpp"

namespace prefrontal::cortex {

std::uint32_t Peers::find(std::uint32_t agent, std::uint32_t name) const {
  return table_.find(hash(agent, name), [&](std::uint32_t slot) {
    return rows_[slot].agent == agent && rows_[slot].name == name;
  });
}

std::uint32_t Peers::add(PeerList& list, std::uint32_t agent, std::uint32_t name) {
  std::uint32_t slot = static_cast<std::uint32_t>(rows_.size());
  if (free_.empty()) {
    rows_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  rows_[slot].agent = agent;
  rows_[slot].name = name;
  table_.insert(hash(agent, name), slot, [this](std::uint32_t s) { return hash_of(s); });
  link(list, slot);
  return slot;
}

void Peers::remove(PeerList& list, std::uint32_t slot) {
  unlink(list, slot);
  table_.erase(hash_of(slot), slot, [this](std::uint32_t s) { return hash_of(s); });
  rows_[slot] = {};
  free_.push_back(slot);
}

void Peers::make_newest(PeerList& list, std::uint32_t slot) {
  if (list.newest == slot) return;
  unlink(list, slot);
  link(list, slot);
}

void Peers::link(PeerList& list, std::uint32_t slot) {
  rows_[slot].newer = kNone;
  rows_[slot].older = list.newest;
  (list.newest == kNone ? list.oldest : rows_[list.newest].newer) = slot;
  list.newest = slot;
  ++list.size;
}

void Peers::unlink(PeerList& list, std::uint32_t slot) {
  const Peer& peer = rows_[slot];
  (peer.newer == kNone ? list.newest : rows_[peer.newer].older) = peer.older;
  (peer.older == kNone ? list.oldest : rows_[peer.older].newer) = peer.newer;
  --list.size;
}

}  // namespace prefrontal::cortex
