// The engine as bytes: times, thresholds, then each agent with its commitments and its peers.
#include <algorithm>
#include <cmath>

#include "csrc/cortex/trigger_engine.hpp"
#include "csrc/simd/saved_bytes.hpp"

namespace prefrontal::cortex {
namespace {

using Reader = simd::SavedReader;
using Writer = simd::SavedWriter;

constexpr std::string_view kMagic = "PFTE";
constexpr std::uint32_t kVersion = 1;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 60;

Reader opened(std::string_view saved) {
  Reader in("saved engine", saved, kMagic);
  in.expect(in.number<std::uint32_t>() == kVersion, "be of this version, got another");
  in.verify();
  return in;
}

void write(Writer& out, const Thresholds& t) {
  out.flag(t.period_s.has_value());
  out.number(t.period_s.value_or(0.0));
  out.flag(t.count.has_value());
  out.number(t.count.value_or(0));
  out.flag(t.farming_jump_from == JumpFrom::usual);
  for (const bool flag : {t.count_outgoing, t.new_peer, t.promise_timeout, t.farming})
    out.flag(flag);
  for (const double value :
       {t.retry_s, t.retry_limit_s, t.farming_jump_factor, t.farming_jump_min_size,
        t.farming_tempo_per_day, t.farming_tempo_gap_s})
    out.number(value);
  for (const std::uint64_t value :
       {t.farming_easy_count, t.farming_tempo_count, t.max_peers, t.max_commitments})
    out.number(value);
}

Thresholds read_thresholds(Reader& in) {
  Thresholds t;
  const bool has_period = in.flag();
  t.period_s = in.number<double>();
  if (!has_period) t.period_s.reset();
  const bool has_count = in.flag();
  t.count = in.number<std::uint64_t>();
  if (!has_count) t.count.reset();
  t.farming_jump_from = in.flag() ? JumpFrom::usual : JumpFrom::largest;
  for (bool* flag : {&t.count_outgoing, &t.new_peer, &t.promise_timeout, &t.farming})
    *flag = in.flag();
  for (double* value : {&t.retry_s, &t.retry_limit_s, &t.farming_jump_factor,
                        &t.farming_jump_min_size, &t.farming_tempo_per_day, &t.farming_tempo_gap_s})
    *value = in.number<double>();
  for (std::uint64_t* value :
       {&t.farming_easy_count, &t.farming_tempo_count, &t.max_peers, &t.max_commitments})
    *value = in.number<std::uint64_t>();
  check(t);
  return t;
}

// `recent`: no cycle has begun since the latest message.
void write(Writer& out, const PeerStatistics& s, bool recent) {
  for (const std::uint64_t count : {s.interactions, s.outgoing, s.good, s.bad}) out.number(count);
  out.number(s.streak);
  for (const double value : {s.first_s, s.last_s, s.interval_s, s.size_mean, s.size_squares,
                             s.size_log, s.size_max, s.size_open})
    out.number(value);
  for (const bool flag : {s.met, s.jumped, s.hurried, s.just_hurried && recent}) out.flag(flag);
  out.number(static_cast<std::uint32_t>(s.visits.size()));
  for (const double visit : s.visits) out.number(visit);
}

std::uint64_t read_count(Reader& in) {
  const auto count = in.number<std::uint64_t>();
  in.expect(count <= kMostCounted, "hold counts, got others");
  return count;
}

// Reads times, moved by a shift.
class Times {
 public:
  Times(double latest, double shift) : latest_(latest), shift_(shift) {}

  double any(double time_s) const { return moved(time_s); }
  double past(double time_s) const {
    if (!(time_s <= latest_)) {
      throw std::invalid_argument(
          "saved engine must hold times up to its latest one, got a later one");
    }
    return moved(time_s);
  }
  double past_or_never(double time_s) const { return time_s == kNever ? kNever : past(time_s); }
  double any_or_never(double time_s) const { return time_s == kNever ? kNever : moved(time_s); }

 private:
  double moved(double time_s) const {
    return checked_time("time of a saved engine",
                        checked_time("time of a saved engine", time_s) + shift_);
  }

  double latest_;
  double shift_;
};

PeerStatistics read_statistics(Reader& in, const Times& times) {
  PeerStatistics s;
  for (std::uint64_t* count : {&s.interactions, &s.outgoing, &s.good, &s.bad})
    *count = read_count(in);
  s.streak = in.number<std::int64_t>();
  in.expect(s.streak <= kMostCounted && s.streak >= -kMostCounted, "hold counts, got others");
  s.first_s = times.past_or_never(in.number<double>());
  s.last_s = times.past_or_never(in.number<double>());
  in.expect((s.interactions == 0) == (s.first_s == kNever) &&
                (s.interactions == 0) == (s.last_s == kNever) && s.first_s <= s.last_s,
            "hold a first and a last time for each peer that wrote, got others");
  for (double* value :
       {&s.interval_s, &s.size_mean, &s.size_squares, &s.size_log, &s.size_max, &s.size_open}) {
    *value = in.number<double>();
    in.expect(std::isfinite(*value) && *value >= 0.0, "hold finite statistics, got others");
  }
  for (bool* flag : {&s.met, &s.jumped, &s.hurried, &s.just_hurried}) *flag = in.flag();
  const auto visits = in.number<std::uint32_t>();
  in.expect(visits <= kMostVisits, "hold at most 32 visits of a peer, got more");
  for (std::uint32_t i = 0; i < visits; ++i) s.visits.push_back(times.past(in.number<double>()));
  in.expect(std::ranges::is_sorted(s.visits), "hold visits in order, got others");
  return s;
}

std::string_view read_name(Reader& in) {
  const std::string_view name = in.text();
  in.expect(!name.empty() && name.size() <= kLongestName && simd::is_text(name),
            "hold names of 1 to 1024 bytes of UTF-8, got another");
  return name;
}

}  // namespace

class SavedEngine {
 public:
  static std::string save(const TriggerEngine& engine) {
    Writer out(kMagic, kVersion);
    out.number(engine.now_);
    write(out, engine.thresholds_);
    out.number(static_cast<std::uint64_t>(engine.agents_.size()));
    for (const Agent& agent : engine.agents_) write_agent(out, engine, agent);
    return out.finished();
  }

  static TriggerEngine load(std::string_view saved, std::optional<double> now) {
    Reader in = opened(saved);
    const double latest = in.number<double>();
    if (latest != kNever) checked_time("time of a saved engine", latest);
    const double shift = now && latest != kNever ? checked_time("now", *now) - latest : 0.0;
    const Times times(latest, shift);
    TriggerEngine engine(read_thresholds(in));
    engine.now_ = times.past_or_never(latest);
    if (now && latest == kNever) engine.now_ = checked_time("now", *now);
    const auto agents = in.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < agents; ++i) read_agent(in, engine, times);
    in.expect(in.empty(), "end with its agents, got more bytes");
    engine.make_room_to_look(engine.agents_.size());
    for (std::uint32_t slot = 0; slot < engine.agents_.size(); ++slot) engine.look_again(slot);
    return engine;
  }

 private:
  static void write_agent(Writer& out, const TriggerEngine& engine, const Agent& agent) {
    out.number(agent.id);
    out.number(agent.since_s);
    out.number(agent.hold_s);
    out.number(agent.failures);
    for (const Pending* each : {&agent.interactions, &agent.new_peers, &agent.signs})
      out.number(each->waiting);
    out.flag(agent.own != nullptr);
    if (agent.own) write(out, *agent.own);
    out.number(static_cast<std::uint32_t>(agent.commitments.size()));
    for (const Commitment& each : agent.commitments) {
      out.text(each.key);
      out.text(engine.names_[each.peer]);
      out.number(each.due_s);
    }
    out.number(agent.peers.size);
    for (std::uint32_t at = agent.peers.oldest; at != kNone; at = engine.peers_[at].newer) {
      const Peer& peer = engine.peers_[at];
      out.text(engine.names_[peer.name]);
      write(out, peer.statistics, peer.cycle == agent.cycles);
    }
  }

  static void read_agent(Reader& in, TriggerEngine& engine, const Times& times) {
    const auto id = in.number<AgentId>();
    in.expect(engine.agent(id) == nullptr, "hold each agent once, got one twice");
    const std::uint32_t slot = engine.slot_of(id);
    Agent& agent = engine.agents_[slot];
    agent.since_s = times.past_or_never(in.number<double>());
    agent.hold_s = times.any_or_never(in.number<double>());
    agent.failures = in.number<std::uint32_t>();
    for (Pending* each : {&agent.interactions, &agent.new_peers, &agent.signs})
      each->waiting = read_count(in);
    if (in.flag()) agent.own = std::make_unique<const Thresholds>(read_thresholds(in));
    read_commitments(in, engine, agent, times);
    const auto peers = in.number<std::uint32_t>();
    in.expect(peers <= engine.rules(agent).max_peers, "hold no more peers than it may, got more");
    for (std::uint32_t i = 0; i < peers; ++i) {
      const std::string_view name = read_name(in);
      in.expect(engine.peer_of(slot, name) == nullptr, "hold each peer once, got one twice");
      engine.seen(agent, slot, name).statistics = read_statistics(in, times);
    }
  }

  static void read_commitments(Reader& in, TriggerEngine& engine, Agent& agent,
                               const Times& times) {
    const auto commitments = in.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < commitments; ++i) {
      const std::string key(read_name(in));
      const std::string_view peer = read_name(in);
      const double due_s = times.any(in.number<double>());
      agent.commitments.push_back({key, engine.names_.hold(peer), due_s, false});
    }
  }
};

std::string TriggerEngine::save() const { return SavedEngine::save(*this); }

TriggerEngine TriggerEngine::load(std::string_view saved, std::optional<double> now) {
  return SavedEngine::load(saved, now);
}

}  // namespace prefrontal::cortex
