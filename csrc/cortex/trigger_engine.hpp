// When each of many agents is to reflect: triggers without judgment, over facts as they come.
// The cost of `due` is that of the agents that became due or are due, whatever their number is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "csrc/cortex/agent.hpp"
#include "csrc/cortex/id_order.hpp"
#include "csrc/cortex/names.hpp"
#include "csrc/cortex/peers.hpp"
#include "csrc/cortex/queue.hpp"
#include "csrc/cortex/thresholds.hpp"

namespace prefrontal::cortex {

enum class Kind { in, out, effort, good, bad, known };

using AgentId = std::int64_t;
using Change = std::function<void(Thresholds&)>;

struct Due {
  AgentId agent;
  unsigned triggers;
};

// Not safe for threads: the caller lets one in at a time. Times are seconds of the caller's clock;
// one that goes back counts as the latest seen. Throws std::invalid_argument naming the argument.
// What throws changes nothing: a call takes all the memory it needs before its first change.
class TriggerEngine {
 public:
  explicit TriggerEngine(const Thresholds& thresholds);
  TriggerEngine(TriggerEngine&&) = default;

  void push(AgentId agent, Kind kind, std::string_view peer, double time_s, double size);
  // False when the agent has as many as it may.
  bool commit(AgentId agent, std::string_view peer, double due_s, std::string_view key);
  bool uncommit(AgentId agent, std::string_view key);

  // By agent.
  std::vector<Due> due(double now);
  unsigned begin(AgentId agent, double now);
  void finish(AgentId agent, double now, std::optional<std::int64_t> interactions);
  void fail(AgentId agent, double now);
  std::optional<double> next_due(std::optional<AgentId> agent);

  // All agents, and those to come, or a single one; nothing changes when a value is refused.
  void set_thresholds(std::optional<AgentId> agent, const Change& change);
  const Thresholds& thresholds(std::optional<AgentId> agent) const;

  // Views into the engine, good until the next call that changes it.
  const Agent* agent(AgentId id) const;
  const PeerStatistics* statistics(AgentId agent, std::string_view peer) const;
  std::vector<std::string_view> peers(AgentId agent) const;  // latest seen first
  std::string_view name(std::uint32_t slot) const { return names_[slot]; }
  std::vector<AgentId> agents() const;  // sorted

  // Little-endian bytes with version and checksum. A running cycle is not saved.
  std::string save() const;
  // With `now` all times move so that the latest seen becomes it. Throws std::invalid_argument.
  static TriggerEngine load(std::string_view saved, std::optional<double> now);

 private:
  friend class SavedEngine;

  double later(const char* name, double time_s) const;
  std::uint32_t slot_of(AgentId id);
  void forget_agents_from(std::size_t count) noexcept;  // those that came last
  Agent& running(const char* what, AgentId id, std::uint32_t& slot);
  const Thresholds& rules(const Agent& agent) const { return agent.own ? *agent.own : thresholds_; }
  void message(Agent& agent, Peer& from, double size) noexcept;
  static void outcome(Agent& agent, Peer& peer, bool was_good);
  Peer& seen(Agent& agent, std::uint32_t slot, std::string_view peer);
  Peer* peer_of(std::uint32_t agent, std::string_view peer);
  void forget_oldest(Agent& agent) noexcept;
  void forget_commitments(Agent& agent, auto&& gone) {
    std::erase_if(agent.commitments, [&](const Commitment& each) {
      if (!gone(each)) return false;
      names_.let_go(each.peer);
      return true;
    });
  }
  void make_room_to_look(std::size_t agents);  // again, at so many
  void look_again(std::uint32_t slot) noexcept { look_again(slot, now_); }
  void look_again(std::uint32_t slot, double now) noexcept;
  void enqueue(std::uint32_t slot, double deadline) noexcept;
  void take_what_came_up(double now);

  Thresholds thresholds_;
  double now_ = kNever;
  Names names_;
  Peers peers_;
  std::vector<Agent> agents_;
  std::unordered_map<AgentId, std::uint32_t> slots_;
  std::vector<Listed> listed_;      // sorted: may be due
  std::vector<Listed> new_listed_;  // not sorted yet
  Queue queue_;
};

}  // namespace prefrontal::cortex
