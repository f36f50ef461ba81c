#include "csrc/cortex/trigger_engine.hpp"

#include <algorithm>
#include <stdexcept>

namespace prefrontal::cortex {
namespace {

void expect_name(const char* what, std::string_view text) {
  if (!text.empty() && text.size() <= kLongestName) return;
  throw std::invalid_argument(std::string(what) + " must be 1 to 1024 bytes long, got " +
                              std::to_string(text.size()));
}

}  // namespace

TriggerEngine::TriggerEngine(const Thresholds& thresholds) : thresholds_(thresholds) {
  check(thresholds_);
}

double TriggerEngine::later(const char* name, double time_s) const {
  return std::max(now_, checked_time(name, time_s));
}

std::uint32_t TriggerEngine::slot_of(AgentId id) {
  const auto known = slots_.find(id);
  if (known != slots_.end()) return known->second;
  const auto slot = static_cast<std::uint32_t>(agents_.size());
  simd::make_room(1, agents_);
  slots_.emplace(id, slot);
  agents_.emplace_back().id = id;
  return slot;
}

void TriggerEngine::forget_agents_from(std::size_t count) noexcept {
  for (; agents_.size() > count; agents_.pop_back()) slots_.erase(agents_.back().id);
}

const Agent* TriggerEngine::agent(AgentId id) const {
  const auto at = slots_.find(id);
  return at == slots_.end() ? nullptr : &agents_[at->second];
}

// --- what came in ------------------------------------------------------------------------------

void TriggerEngine::push(AgentId id, Kind kind, std::string_view peer, double time_s, double size) {
  expect_name("peer", peer);
  checked_size("size", size);
  const double time = later("time", time_s);
  make_room_to_look(1);
  const std::size_t agents = agents_.size();
  const std::uint32_t slot = slot_of(id);
  Agent& agent = agents_[slot];
  const bool meets = kind == Kind::in || kind == Kind::out || kind == Kind::known;
  Peer* from = nullptr;
  try {
    from = meets ? &seen(agent, slot, peer) : peer_of(slot, peer);
  } catch (...) {
    forget_agents_from(agents);
    throw;
  }
  now_ = time;
  if (agent.since_s == kNever) agent.since_s = time;
  switch (kind) {
    case Kind::in:
      message(agent, *from, size);
      break;
    case Kind::out:
      ++from->statistics.outgoing;
      if (rules(agent).count_outgoing) ++agent.interactions.waiting;
      break;
    case Kind::known:
      from->statistics.met = true;
      return;
    case Kind::effort:
      if (from != nullptr) agent.signs.waiting += from->statistics.effort(size, rules(agent));
      break;
    case Kind::good:
    case Kind::bad:
      if (from != nullptr) outcome(agent, *from, kind == Kind::good);
      return;
  }
  look_again(slot);
}

void TriggerEngine::message(Agent& agent, Peer& from, double size) noexcept {
  const Thresholds& thresholds = rules(agent);
  if (!from.statistics.met && thresholds.new_peer) ++agent.new_peers.waiting;
  from.statistics.met = true;
  agent.signs.waiting += from.statistics.message(now_, size, thresholds);
  from.cycle = agent.cycles;
  ++agent.interactions.waiting;
  if (agent.commitments.empty()) return;
  forget_commitments(agent, [&](const Commitment& each) { return each.peer == from.name; });
}

// A sign of haste that no cycle has looked at goes when the message behind it turns out bad.
void TriggerEngine::outcome(Agent& agent, Peer& peer, bool was_good) {
  if (peer.statistics.outcome(was_good) && peer.cycle == agent.cycles) --agent.signs.waiting;
}

Peer& TriggerEngine::seen(Agent& agent, std::uint32_t slot, std::string_view peer) {
  const Thresholds& thresholds = rules(agent);
  const std::uint32_t known = names_.find(peer);
  const std::uint32_t found = known == kNone ? kNone : peers_.find(slot, known);
  Peer& row = found == kNone ? peers_.next() : peers_[found];
  if (thresholds.farming) row.statistics.make_room();
  if (found != kNone) {
    peers_.make_newest(agent.peers, found);
    return row;
  }
  const std::uint32_t name = names_.hold(peer);
  const std::uint32_t added = peers_.add(agent.peers, slot, name);
  if (agent.peers.size > thresholds.max_peers) forget_oldest(agent);
  return peers_[added];
}

Peer* TriggerEngine::peer_of(std::uint32_t agent, std::string_view peer) {
  const std::uint32_t name = names_.find(peer);
  const std::uint32_t found = name == kNone ? kNone : peers_.find(agent, name);
  return found == kNone ? nullptr : &peers_[found];
}

void TriggerEngine::forget_oldest(Agent& agent) noexcept {
  const std::uint32_t oldest = agent.peers.oldest;
  names_.let_go(peers_[oldest].name);
  peers_.remove(agent.peers, oldest);
}

bool TriggerEngine::commit(AgentId id, std::string_view peer, double due_s, std::string_view key) {
  expect_name("peer", peer);
  expect_name("key", key);
  checked_time("due", due_s);
  Commitment fresh{std::string(key), kNone, due_s, false};
  make_room_to_look(1);
  const std::size_t agents = agents_.size();
  const std::uint32_t slot = slot_of(id);
  Agent& agent = agents_[slot];
  try {
    simd::make_room(1, agent.commitments);
    fresh.peer = names_.hold(peer);
  } catch (...) {
    forget_agents_from(agents);
    throw;
  }
  uncommit(id, key);
  if (agent.commitments.size() >= rules(agent).max_commitments) {
    names_.let_go(fresh.peer);
    return false;
  }
  agent.commitments.push_back(std::move(fresh));
  look_again(slot);
  return true;
}

bool TriggerEngine::uncommit(AgentId id, std::string_view key) {
  const auto at = slots_.find(id);
  if (at == slots_.end()) return false;
  Agent& agent = agents_[at->second];
  const std::size_t before = agent.commitments.size();
  forget_commitments(agent, [&](const Commitment& each) { return each.key == key; });
  return agent.commitments.size() < before;
}

// --- thresholds and views ----------------------------------------------------------------------

const Thresholds& TriggerEngine::thresholds(std::optional<AgentId> id) const {
  const Agent* one = id ? agent(*id) : nullptr;
  return one == nullptr ? thresholds_ : rules(*one);
}

void TriggerEngine::set_thresholds(std::optional<AgentId> id, const Change& change) {
  const auto changed = [&](Thresholds thresholds) {
    change(thresholds);
    check(thresholds);
    return thresholds;
  };
  make_room_to_look(id ? 1 : agents_.size());
  if (id) {
    auto own = std::make_unique<const Thresholds>(changed(thresholds(id)));
    agents_[slot_of(*id)].own = std::move(own);
  } else {
    const Thresholds general = changed(thresholds_);
    std::vector<std::pair<Agent*, std::unique_ptr<const Thresholds>>> owns;
    for (Agent& agent : agents_)
      if (agent.own)
        owns.emplace_back(&agent, std::make_unique<const Thresholds>(changed(*agent.own)));
    thresholds_ = general;
    for (auto& [agent, own] : owns) agent->own = std::move(own);
  }
  for (std::uint32_t slot = 0; slot < agents_.size(); ++slot) {
    Agent& agent = agents_[slot];
    if (id && agent.id != *id) continue;
    while (agent.peers.size > rules(agent).max_peers) forget_oldest(agent);
    look_again(slot);
  }
}

const PeerStatistics* TriggerEngine::statistics(AgentId id, std::string_view peer) const {
  const auto at = slots_.find(id);
  const std::uint32_t name = names_.find(peer);
  if (at == slots_.end() || name == kNone) return nullptr;
  const std::uint32_t found = peers_.find(at->second, name);
  return found == kNone ? nullptr : &peers_[found].statistics;
}

std::vector<std::string_view> TriggerEngine::peers(AgentId id) const {
  std::vector<std::string_view> out;
  const Agent* one = agent(id);
  if (one == nullptr) return out;
  for (std::uint32_t at = one->peers.newest; at != kNone; at = peers_[at].older)
    out.push_back(names_[peers_[at].name]);
  return out;
}

std::vector<AgentId> TriggerEngine::agents() const {
  std::vector<AgentId> out;
  for (const Agent& agent : agents_) out.push_back(agent.id);
  std::ranges::sort(out);
  return out;
}

}  // namespace prefrontal::cortex
