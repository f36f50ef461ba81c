#include "told_agents.hpp"

#include <array>

#include "routing.hpp"

namespace py = pybind11;

namespace prefrontal::bindings {

using namespace cortex;

namespace {

constexpr std::array<std::string_view, 5> kTriggers = {"promise_timeout", "farming", "new_peer",
                                                       "interaction_count", "timer"};

py::object time_or_none(double time_s) {
  return time_s == kNever ? py::object(py::none()) : py::float_(time_s);
}

struct Promise {
  std::string key;
  std::string peer;
  double due_s;
};

}  // namespace

// Each tuple is made once and kept to the end.
const py::tuple& triggers(unsigned fired) {
  static const std::array<py::tuple, 32>& all = *[] {
    auto* sets = new std::array<py::tuple, 32>;
    for (unsigned set = 0; set < sets->size(); ++set) {
      py::list names;
      for (std::size_t i = 0; i < kTriggers.size(); ++i)
        if ((set >> i) & 1U) names.append(text_of(kTriggers[i]));
      (*sets)[set] = py::tuple(names);
    }
    return sets;
  }();
  return all[fired];
}

py::list due(TriggerEngine& engine, double now) {
  const std::vector<Due> found = engine.due(now);
  py::list out(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    py::tuple row(2);
    row[0] = py::int_(found[i].agent);
    row[1] = triggers(found[i].triggers);
    PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), row.release().ptr());
  }
  return out;
}

std::uint64_t interactions(const TriggerEngine& engine, AgentId id) {
  const Agent* found = engine.agent(id);
  return found == nullptr ? 0 : found->interactions.waiting;
}

py::dict statistics(const TriggerEngine& engine, AgentId agent, const py::str& peer) {
  std::string spare;
  const PeerStatistics* found = engine.statistics(agent, utf8(peer, spare));
  if (found == nullptr) return {};
  const PeerStatistics s = *found;
  return py::dict(py::arg("interactions") = s.interactions, py::arg("outgoing") = s.outgoing,
                  py::arg("good") = s.good, py::arg("bad") = s.bad, py::arg("streak") = s.streak,
                  py::arg("first_seen") = time_or_none(s.first_s),
                  py::arg("last_seen") = time_or_none(s.last_s),
                  py::arg("interval_s") = s.interval_s, py::arg("per_day") = s.per_day(),
                  py::arg("size_usual") = s.size_usual(), py::arg("size_mean") = s.size_mean,
                  py::arg("size_deviation") = s.size_deviation(), py::arg("size_max") = s.size_max,
                  py::arg("size_open") = s.size_open, py::arg("size_jump") = s.jumped,
                  py::arg("tempo") = s.hurried);
}

py::list peers(const TriggerEngine& engine, AgentId agent) {
  std::vector<std::string> names;
  for (const std::string_view name : engine.peers(agent)) names.emplace_back(name);
  py::list out;
  for (const std::string& name : names) out.append(text_of(name));
  return out;
}

py::list commitments(const TriggerEngine& engine, AgentId id) {
  std::vector<Promise> promises;
  if (const Agent* agent = engine.agent(id)) {
    for (const Commitment& each : agent->commitments)
      promises.push_back({each.key, std::string(engine.name(each.peer)), each.due_s});
  }
  py::list out;
  for (const Promise& each : promises)
    out.append(py::make_tuple(text_of(each.key), text_of(each.peer), each.due_s));
  return out;
}

}  // namespace prefrontal::bindings
