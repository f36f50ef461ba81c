#include "csrc/cortex/peers.hpp"

namespace prefrontal::cortex {

std::uint32_t Peers::find(std::uint32_t agent, std::uint32_t name) const {
  return table_.find(hash(agent, name), [&](std::uint32_t slot) {
    return rows_[slot].agent == agent && rows_[slot].name == name;
  });
}

Peer& Peers::next() {
  table_.make_room([this](std::uint32_t s) { return hash_of(s); });
  return rows_.next();
}

std::uint32_t Peers::add(PeerList& list, std::uint32_t agent, std::uint32_t name) noexcept {
  const std::uint32_t slot = rows_.take();
  rows_[slot].agent = agent;
  rows_[slot].name = name;
  table_.insert(hash(agent, name), slot);
  link(list, slot);
  return slot;
}

void Peers::remove(PeerList& list, std::uint32_t slot) noexcept {
  unlink(list, slot);
  table_.erase(hash_of(slot), slot, [this](std::uint32_t s) { return hash_of(s); });
  rows_.give_back(slot);
}

void Peers::make_newest(PeerList& list, std::uint32_t slot) noexcept {
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
