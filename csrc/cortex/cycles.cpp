// What is due, and what a cycle does to it.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "csrc/cortex/trigger_engine.hpp"

namespace prefrontal::cortex {

void TriggerEngine::make_room_to_look(std::size_t agents) {
  simd::make_room(agents, new_listed_);
  queue_.make_room(agents);
}

// After each change: an agent that may be due is listed, one that will be stands in the queue.
void TriggerEngine::look_again(std::uint32_t slot, double now) noexcept {
  Agent& agent = agents_[slot];
  if (agent.listed) return;
  const double deadline = agent.deadline(rules(agent));
  if (deadline <= now) {
    agent.listed = true;
    new_listed_.emplace_back(agent.id, slot);
  } else {
    enqueue(slot, deadline);
  }
}

// An entry that is too early is put right when it comes up, so only earlier ones are added.
void TriggerEngine::enqueue(std::uint32_t slot, double deadline) noexcept {
  if (!(deadline < agents_[slot].queued_s)) return;
  agents_[slot].queued_s = deadline;
  queue_.add(deadline, slot);
  if (queue_.size() > 2 * agents_.size() + 64) {
    queue_.sweep([this](const Queue::Entry& entry) {
      return agents_[entry.agent].queued_s == entry.time_s;
    });
  }
}

// Whatever fails here, each agent stays either listed or in the queue.
void TriggerEngine::take_what_came_up(double now) {
  while (!queue_.empty() && queue_.first().time_s <= now) {
    simd::make_room(1, new_listed_);
    const Queue::Entry entry = queue_.take();
    if (agents_[entry.agent].queued_s != entry.time_s) continue;
    agents_[entry.agent].queued_s = -kNever;
    look_again(entry.agent, now);  // in the room that the entry had, or in the new one
  }
  if (new_listed_.empty()) return;
  simd::make_room(new_listed_.size(), listed_);
  sort_by_id(new_listed_);
  const auto middle = static_cast<std::ptrdiff_t>(listed_.size());
  listed_.insert(listed_.end(), new_listed_.begin(), new_listed_.end());
  new_listed_.clear();
  std::inplace_merge(listed_.begin(), listed_.begin() + middle, listed_.end());
}

std::vector<Due> TriggerEngine::due(double given) {
  const double now = later("now", given);
  take_what_came_up(now);
  std::vector<Due> out;
  out.reserve(listed_.size());
  for (const auto& [id, slot] : listed_) {
    const Agent& agent = agents_[slot];
    if (const unsigned fired = agent.triggers(rules(agent), now); fired != 0)
      out.push_back({id, fired});
  }
  queue_.make_room(listed_.size() - out.size());
  now_ = now;
  if (out.size() == listed_.size()) return out;
  auto next = out.begin();
  std::erase_if(listed_, [&](const Listed& each) {
    if (next != out.end() && next->agent == each.first) {
      ++next;
      return false;
    }
    Agent& agent = agents_[each.second];
    agent.listed = false;
    enqueue(each.second, agent.deadline(rules(agent)));
    return true;
  });
  return out;
}

std::optional<double> TriggerEngine::next_due(std::optional<AgentId> id) {
  double earliest = -kNever;
  if (id) {
    if (const Agent* one = agent(*id)) earliest = one->deadline(rules(*one));
  } else {
    take_what_came_up(now_);
    for (const auto& [own_id, slot] : listed_)
      earliest = std::min(earliest, agents_[slot].deadline(rules(agents_[slot])));
    while (!queue_.empty() && queue_.first().time_s < earliest) {
      Agent& first = agents_[queue_.first().agent];
      const double deadline = first.deadline(rules(first));
      if (first.queued_s == queue_.first().time_s && deadline == first.queued_s) {
        earliest = deadline;
        break;
      }
      simd::make_room(1, new_listed_);
      const Queue::Entry entry = queue_.take();
      if (first.queued_s != entry.time_s) continue;
      first.queued_s = -kNever;
      look_again(entry.agent);
    }
  }
  if (std::isinf(earliest) && earliest > 0) return std::nullopt;
  return std::max(earliest, now_);
}

unsigned TriggerEngine::begin(AgentId id, double now) {
  if (const Agent* one = agent(id); one != nullptr && one->running) {
    throw std::invalid_argument("agent must not be in a cycle when one begins, got " +
                                std::to_string(id));
  }
  const double time = later("now", now);
  Agent& agent = agents_[slot_of(id)];
  now_ = time;
  const unsigned fired = agent.triggers(rules(agent), now_);
  agent.begin(rules(agent), now_);
  return fired;
}

Agent& TriggerEngine::running(const char* what, AgentId id, std::uint32_t& slot) {
  const auto at = slots_.find(id);
  if (at == slots_.end() || !agents_[at->second].running) {
    throw std::invalid_argument(std::string("agent must be in a cycle to ") + what + " it, got " +
                                std::to_string(id));
  }
  slot = at->second;
  return agents_[slot];
}

void TriggerEngine::finish(AgentId id, double now, std::optional<std::int64_t> interactions) {
  std::uint32_t slot = kNone;
  Agent& agent = running("finish", id, slot);
  if (interactions && *interactions < 0) {
    throw std::invalid_argument("interactions must not be negative, got " +
                                std::to_string(*interactions));
  }
  const double time = later("now", now);
  make_room_to_look(1);
  agent.since_s = now_ = time;
  agent.running = false;
  agent.failures = 0;
  agent.hold_s = kNever;
  if (interactions) {
    const auto seen = static_cast<std::uint64_t>(*interactions);
    agent.interactions.in_cycle = std::min(seen, agent.interactions.waiting);
  }
  agent.interactions.finish();
  agent.new_peers.finish();
  agent.signs.finish();
  forget_commitments(agent, [](const Commitment& each) { return each.in_cycle; });
  look_again(slot);
}

void TriggerEngine::fail(AgentId id, double now) {
  std::uint32_t slot = kNone;
  Agent& agent = running("fail", id, slot);
  const double time = later("now", now);
  make_room_to_look(1);
  now_ = time;
  agent.fail(rules(agent), now_);
  look_again(slot);
}

}  // namespace prefrontal::cortex
