// prefrontal._core.pulse: signals, rules and the recall promise.
#include "pulse.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "csrc/pulse/feature_vector.hpp"
#include "csrc/pulse/recall.hpp"
#include "csrc/pulse/rule_finder.hpp"
#include "csrc/pulse/sparse_features.hpp"
#include "events.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;
using prefrontal::bindings::read_event;
using prefrontal::bindings::read_window;
using prefrontal::bindings::readable;

namespace {

py::array_t<float> event_vector(py::handle event) {
  Event read;
  prefrontal::bindings::Spare spare;
  read_event(event, "event", read, spare);
  py::array_t<float> out(kFeatureDim);
  feature_vector(read, out.mutable_data());
  return out;
}

py::list feature_names(py::handle window, bool utc) {
  py::list names;
  for (const auto& f : extract_named(read_window(window).events, utc ? Zone::utc : Zone::local))
    names.append(readable(f.name));
  return names;
}

}  // namespace

void register_pulse(py::module_& m) {
  py::module_ pulse = m.def_submodule("pulse");
  pulse.attr("FEATURE_DIM") = kFeatureDim;
  pulse.def("feature_vector", &event_vector, py::arg("event"));
  pulse.def("feature_names", &feature_names, py::arg("window"), py::arg("utc") = false);
  pulse.def(
      "share_interval",
      [](std::size_t hits, std::size_t trials, double confidence) {
        const Interval i = share_interval(hits, trials, confidence);
        return py::make_tuple(i.low, i.high);
      },
      py::arg("hits"), py::arg("trials"), py::arg("confidence") = 0.9);

  register_routes(pulse);
  register_limbic(pulse);
  register_lstm(pulse);
  py::class_<Rule>(pulse, "Rule")
      .def("matches", [](const Rule& r, py::handle w) { return r.matches(read_window(w).events); })
      .def_readonly("log_odds_match", &Rule::log_odds_match)
      .def_readonly("log_odds_rest", &Rule::log_odds_rest)
      .def("__str__", [](const Rule& r) { return readable(r.text()); });
  py::class_<FoundRule>(pulse, "FoundRule")
      .def_readonly("rule", &FoundRule::rule)
      .def_readonly("windows", &FoundRule::windows)
      .def_readonly("relevant", &FoundRule::relevant)
      .def_readonly("matched", &FoundRule::matched)
      .def_readonly("caught", &FoundRule::caught);
  py::class_<RuleFinder>(pulse, "RuleFinder")
      .def(py::init<>())
      .def("__len__", &RuleFinder::windows)
      .def(
          "add", [](RuleFinder& f, py::handle w, bool r) { f.add(read_window(w).events, r); },
          py::arg("window"), py::arg("relevant"))
      .def("find", &RuleFinder::find);

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
          [](const RecallPromise& p, double confidence) {
            const Interval i = p.interval(confidence);
            return py::make_tuple(i.low, i.high);
          },
          py::arg("confidence") = 0.9);
}
