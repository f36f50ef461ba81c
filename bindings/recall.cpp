// prefrontal._core.pulse: the thresholds that keep a recall.
#include "csrc/pulse/recall.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "csrc/pulse/recall_control.hpp"
#include "pulse.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;

namespace {

py::tuple ends(const Interval& interval) { return py::make_tuple(interval.low, interval.high); }

// The bins that hold something, as pairs of a place and a mass.
py::list bins(const RecallControl::Mass& mass) {
  py::list found;
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (mass[i] != 0.0) found.append(py::make_tuple(i, mass[i]));
  return found;
}

RecallControl::Mass mass_of(const py::iterable& pairs) {
  RecallControl::Mass mass{};
  for (py::handle pair : pairs) {
    const auto [place, value] = pair.cast<std::pair<std::size_t, double>>();
    if (place >= mass.size())
      throw py::index_error("bin must be below " + std::to_string(mass.size()) + ", got " +
                            std::to_string(place));
    mass[place] = value;
  }
  return mass;
}

py::dict state_of(const RecallControl& control) {
  py::dict out;
  RecallControl::each_number(control, [&](const char* name, double value) { out[name] = value; });
  if (control.version() > 1)
    RecallControl::each_calibrated(control,
                                   [&](const char* name, double value) { out[name] = value; });
  RecallControl::each_mass(
      control, [&](const char* name, const RecallControl::Mass& mass) { out[name] = bins(mass); });
  if (control.version() > 2) {
    py::list pending;
    for (const RecallControl::Pending& each : control.pending())
      pending.append(py::make_tuple(each.score, each.woke, each.bin, each.mass));
    out["pending"] = pending;
  }
  const RecallPromise::Memory memory = control.promise().memory();
  out["promise_scores"] = memory.scores;
  out["promise_caught"] = memory.caught;
  out["promise_balance"] = memory.balance;
  out["complete"] = control.complete();
  return out;
}

// Throws KeyError for a name that is missing; nothing is changed then.
void restore_state(RecallControl& control, const py::dict& state) {
  RecallControl restored = control;
  RecallControl::each_number(
      restored, [&](const char* name, double& value) { value = state[name].cast<double>(); });
  restored.trust_scores();
  if (restored.version() > 1 && state.contains("score_threshold"))
    RecallControl::each_calibrated(
        restored, [&](const char* name, double& value) { value = state[name].cast<double>(); });
  RecallControl::each_mass(restored, [&](const char* name, RecallControl::Mass& mass) {
    mass = mass_of(state[name].cast<py::iterable>());
  });
  std::deque<RecallControl::Pending> pending;
  if (restored.version() > 2 && state.contains("pending"))
    for (py::handle each : state["pending"]) {
      const auto [score, woke, bin, mass] =
          each.cast<std::tuple<double, bool, std::size_t, double>>();
      pending.push_back({score, woke, bin, mass});
    }
  restored.set_pending(std::move(pending));
  restored.restore_promise({state["promise_scores"].cast<std::vector<double>>(),
                            state["promise_caught"].cast<std::vector<bool>>(),
                            state["promise_balance"].cast<double>()});
  restored.set_complete(state["complete"].cast<bool>());
  control = restored;
}

py::object figures_of(const RecallControl& control, double confidence) {
  const auto found = control.figures(confidence);
  if (!found) return py::none();
  return py::make_tuple(found->recall, found->interval.low, found->interval.high,
                        static_cast<std::size_t>(found->audits));
}

py::object alarm_of(const RecallControl& control) {
  const auto found = control.alarm();
  if (!found) return py::none();
  return py::make_tuple(static_cast<std::size_t>(found->left), found->unseen, found->usual);
}

void register_promise(py::module_& pulse) {
  pulse.def(
      "share_interval",
      [](std::size_t hits, std::size_t trials, double confidence) {
        const Interval i = share_interval(hits, trials, confidence);
        return py::make_tuple(i.low, i.high);
      },
      py::arg("hits"), py::arg("trials"), py::arg("confidence") = 0.9);

  py::class_<RecallPromise>(pulse, "RecallPromise")
      .def(py::init<double, std::size_t, double>(), py::arg("recall"), py::arg("memory"),
           py::arg("step"))
      .def_property_readonly("threshold", &RecallPromise::threshold)
      .def_property_readonly("recall", &RecallPromise::recall)
      .def_property_readonly("positives", &RecallPromise::positives)
      .def_property_readonly("decided", &RecallPromise::decided)
      .def_property_readonly("caught", &RecallPromise::caught)
      .def_property_readonly("needed", &RecallPromise::needed)
      .def_property_readonly("can_promise", &RecallPromise::can_promise)
      .def("observe", &RecallPromise::observe, py::arg("score"), py::arg("relevant"),
           py::arg("threshold"))
      .def(
          "interval",
          [](const RecallPromise& p, double confidence) { return ends(p.interval(confidence)); },
          py::arg("confidence") = 0.9);
}

}  // namespace

void register_recall(py::module_& pulse) {
  register_promise(pulse);
  py::class_<RecallControl>(pulse, "RecallControl")
      .def(py::init<double, std::size_t, double, double, int>(), py::arg("recall"),
           py::arg("memory"), py::arg("step"), py::arg("share"), py::arg("version"))
      .def_property_readonly("threshold", &RecallControl::threshold)
      .def_property_readonly("recall", &RecallControl::recall)
      .def_property_readonly(
          "known", [](const RecallControl& c) { return static_cast<std::size_t>(c.known()); })
      .def_property_readonly("needed", &RecallControl::needed)
      .def_property_readonly("complete", &RecallControl::complete)
      .def_property_readonly("moves", &RecallControl::moves)
      .def("audit_chance", &RecallControl::audit_chance, py::arg("score"))
      .def("slept", &RecallControl::slept, py::arg("score"))
      .def("asked", &RecallControl::asked, py::arg("score"), py::arg("propensity"),
           py::arg("unseen"))
      .def("labelled", &RecallControl::labelled, py::arg("score"), py::arg("relevant"),
           py::arg("threshold"), py::arg("propensity"), py::arg("now"))
      .def("figures", &figures_of, py::arg("confidence") = 0.9)
      .def("alarm", &alarm_of)
      .def("meanwhile", [](const RecallControl& c) { return bins(c.meanwhile()); })
      .def(
          "set_meanwhile",
          [](RecallControl& c, const py::iterable& pairs) { c.set_meanwhile(mass_of(pairs)); },
          py::arg("pairs"))
      .def("state", &state_of)
      .def("restore", &restore_state, py::arg("state"));
}
