// prefrontal._core.cortex: the trigger engine. Every call holds the GIL from its start to its end
// and runs no Python while it changes the engine, so threads come in one at a time.
#include "cortex.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>

#include "csrc/cortex/trigger_engine.hpp"
#include "routing.hpp"
#include "told_agents.hpp"

namespace py = pybind11;
namespace told = prefrontal::bindings;
using namespace prefrontal::cortex;
using prefrontal::bindings::GivenThresholds;
using prefrontal::bindings::utf8;

namespace {

constexpr std::array<std::string_view, 6> kKinds = {"in", "out", "effort", "good", "bad", "known"};

Kind kind_of(const py::str& kind) {
  std::string spare;
  const std::string_view text = utf8(kind, spare);
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (text == kKinds[i]) return static_cast<Kind>(i);
  throw py::value_error("kind must be one of in, out, effort, good, bad and known, got " +
                        py::repr(kind).cast<std::string>());
}

TriggerEngine* made(const py::kwargs& given) {
  Thresholds thresholds;
  GivenThresholds{given}(thresholds);
  return new TriggerEngine(thresholds);
}

void push(TriggerEngine& engine, AgentId agent, const py::str& kind, const py::str& peer,
          double time, double size) {
  std::string spare;
  const Kind read = kind_of(kind);
  engine.push(agent, read, utf8(peer, spare), time, size);
}

bool commit(TriggerEngine& engine, AgentId agent, const py::str& peer, double due,
            const py::str& key) {
  std::string spare[2];
  return engine.commit(agent, utf8(peer, spare[0]), due, utf8(key, spare[1]));
}

bool uncommit(TriggerEngine& engine, AgentId agent, const py::str& key) {
  std::string spare;
  return engine.uncommit(agent, utf8(key, spare));
}

py::tuple begin(TriggerEngine& engine, AgentId agent, double now) {
  return told::triggers(engine.begin(agent, now));
}

void set_thresholds(TriggerEngine& engine, std::optional<AgentId> agent, const py::kwargs& given) {
  engine.set_thresholds(agent, GivenThresholds(given));
}

py::dict thresholds(const TriggerEngine& engine, std::optional<AgentId> agent) {
  return told::told_thresholds(Thresholds(engine.thresholds(agent)));
}

TriggerEngine load(const py::bytes& saved, std::optional<double> now) {
  return TriggerEngine::load(std::string_view(saved), now);
}

}  // namespace

void register_cortex(py::module_& m) {
  auto cortex = m.def_submodule("cortex", "When an agent is to reflect.");
  told::triggers(0);  // made here, where nobody waits for it with the GIL in hand
  const py::arg agent("agent"), now("now"), peer("peer"), key("key");
  py::class_<TriggerEngine>(cortex, "TriggerEngine")
      .def(py::init(&made))
      .def("push", &push, agent, py::arg("kind"), peer, py::arg("time"), py::arg("size") = 0.0)
      .def("commit", &commit, agent, peer, py::arg("due"), key)
      .def("uncommit", &uncommit, agent, key)
      .def("due", &told::due, now)
      .def("begin", &begin, agent, now)
      .def("finish", &TriggerEngine::finish, agent, now, py::arg("interactions") = py::none())
      .def("fail", &TriggerEngine::fail, agent, now)
      .def("next_due", &TriggerEngine::next_due, agent = py::none())
      .def("interactions", &told::interactions, agent)
      .def("set_thresholds", &set_thresholds, agent = py::none())
      .def("thresholds", &thresholds, agent = py::none())
      .def("agents", &TriggerEngine::agents)
      .def("peers", &told::peers, agent)
      .def("statistics", &told::statistics, agent, peer)
      .def("commitments", &told::commitments, agent)
      .def("save", [](const TriggerEngine& engine) { return py::bytes(engine.save()); })
      .def_static("load", &load, py::arg("saved"), now = py::none());
}
