// prefrontal._core.pulse: signals and the recall promise.
#include "pulse.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "csrc/pulse/feature_vector.hpp"
#include "csrc/pulse/recall.hpp"
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
  register_rules(pulse);

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
