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

double TriggerEngine::advance(const char* name, double time_s) {
  now_ = std::max(now_, checked_time(name, time_s));
  return now_;
}

std::uint32_t TriggerEngine::slot_of(AgentId id) {
  const auto [at, added] = slots_.try_emplace(id, static_cast<std::uint32_t>(agents_.size()));
  if (added) agents_.emplace_back().id = id;
  return at->second;
}

const Agent* TriggerEngine::agent(AgentId id) const {
  const auto at = slots_.find(id);
  return at == slots_.end() ? nullptr : &agents_[at->second];
}

// --- what came in ------------------------------------------------------------------------------

void TriggerEngine::push(AgentId id, Kind kind, std::string_view peer, double time_s, double size) {
  expect_name("peer", peer);
  checked_size("size", size);
  const double time = advance("time", time_s);
  const std::uint32_t slot = slot_of(id);
  Agent& agent = agents_[slot];
  if (agent.since_s == kNever) agent.since_s = time;
  switch (kind) {
    case Kind::in:
      message(agent, slot, peer, time, size);
      break;
    case Kind::out:
      ++seen(agent, slot, peer).statistics.outgoing;
      if (rules(agent).count_outgoing) ++agent.interactions.waiting;
      break;
    case Kind::known:
      seen(agent, slot, peer).statistics.met = true;
      return;
    case Kind::effort:
      if (Peer* found = peer_of(slot, peer))
        agent.signs.waiting += found->statistics.effort(size, rules(agent));
      break;
    case Kind::good:
    case Kind::bad:
      if (Peer* found = peer_of(slot, peer)) outcome(agent, *found, kind == Kind::good);
      return;
  }
  look_again(slot);
}

void TriggerEngine::message(Agent& agent, std::uint32_t slot, std::string_view peer, double time_s,
                            double size) {
  const Thresholds& thresholds = rules(agent);
  Peer& from = seen(agent, slot, peer);
  if (!from.statistics.met && thresholds.new_peer) ++agent.new_peers.waiting;
  from.statistics.met = true;
  agent.signs.waiting += from.statistics.message(time_s, size, thresholds);
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
  const std::uint32_t known = names_.find(peer);
  std::uint32_t found = known == kNone ? kNone : peers_.find(slot, known);
  if (found != kNone) {
    peers_.make_newest(agent.peers, found);
    return peers_[found];
  }
  if (agent.peers.size >= rules(agent).max_peers) forget_oldest(agent);
  return peers_[peers_.add(agent.peers, slot, names_.hold(peer))];
}

Peer* TriggerEngine::peer_of(std::uint32_t agent, std::string_view peer) {
  const std::uint32_t name = names_.find(peer);
  const std::uint32_t found = name == kNone ? kNone : peers_.find(agent, name);
  return found == kNone ? nullptr : &peers_[found];
}

void TriggerEngine::forget_oldest(Agent& agent) {
  const std::uint32_t oldest = agent.peers.oldest;
  names_.let_go(peers_[oldest].name);
  peers_.remove(agent.peers, oldest);
}

bool TriggerEngine::commit(AgentId id, std::string_view peer, double due_s, std::string_view key) {
  expect_name("peer", peer);
  expect_name("key", key);
  checked_time("due", due_s);
  uncommit(id, key);
  const std::uint32_t slot = slot_of(id);
  Agent& agent = agents_[slot];
  if (agent.commitments.size() >= rules(agent).max_commitments) return false;
  agent.commitments.push_back({std::string(key), names_.hold(peer), due_s, false});
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
