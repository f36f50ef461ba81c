// prefrontal._core.pulse: signals and the recall promise.
#include "pulse.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "csrc/pulse/feature_vector.hpp"
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

py::list feature_names(py::handle window, bool utc, bool commit_files) {
  const Reading reading{utc ? Zone::utc : Zone::local, commit_files};
  py::list names;
  for (const auto& f : extract_named(read_window(window).events, reading))
    names.append(readable(f.name));
  return names;
}

}  // namespace

void register_pulse(py::module_& m) {
  py::module_ pulse = m.def_submodule("pulse");
  pulse.attr("FEATURE_DIM") = kFeatureDim;
  pulse.def("feature_vector", &event_vector, py::arg("event"));
  pulse.def("feature_names", &feature_names, py::arg("window"), py::arg("utc") = false,
            py::arg("commit_files") = false);
  register_routes(pulse);
  register_limbic(pulse);
  register_lstm(pulse);
  register_rules(pulse);
  register_recall(pulse);
}
