// prefrontal._core.pulse.LstmLimbic: an LSTM for each module, and the routes to them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "csrc/pulse/limbic.hpp"
#include "csrc/pulse/lstm_scorer.hpp"
#include "events.hpp"
#include "pulse.hpp"
#include "routes.hpp"
#include "weights.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;
using prefrontal::bindings::block;
using prefrontal::bindings::read_window;
using prefrontal::bindings::ScoreDict;
using prefrontal::bindings::told;

namespace {

struct BoundLstm : LstmScorer {
  using LstmScorer::LstmScorer;
  Routes routes;
  ScoreDict scores;
};

double lstm_score(const BoundLstm& lstm, const std::string& module, py::handle window) {
  return static_cast<double>(lstm.score(module, lstm_inputs(read_window(window).events)));
}

double score_stream(BoundLstm& lstm, const std::string& module, py::handle event) {
  Window one(1);
  prefrontal::bindings::Spare spare;
  prefrontal::bindings::read_event(event, "event", one[0], spare);
  return static_cast<double>(lstm.score_stream(module, lstm_inputs(one)));
}

py::dict lstm_score_all(BoundLstm& lstm, py::handle window) {
  const Inputs inputs = lstm_inputs(read_window(window).events);
  LstmScorer::Scores scores;
  {
    py::gil_scoped_release released;
    scores = lstm.score_all(inputs);
  }
  return lstm.scores.filled(scores.modules, scores.values);
}

py::dict lstm_score_routed(BoundLstm& lstm, py::handle window) {
  const auto read = read_window(window);
  const Routes::Match match = lstm.routes.match(read.events);
  if (match.all) return lstm_score_all(lstm, window);
  const Inputs inputs = lstm_inputs(read.events);
  LstmScorer::Scores scores;
  {
    py::gil_scoped_release released;
    scores = lstm.score_some(match.modules, inputs);
  }
  return lstm.scores.of(scores.modules, scores.values);
}

bool lstm_learn(BoundLstm& lstm, const std::string& module, py::handle window, double label) {
  const Inputs inputs = lstm_inputs(read_window(window).events);
  py::gil_scoped_release released;
  return lstm.learn(module, inputs, static_cast<float>(label));
}

py::list lstm_contributions(const BoundLstm& lstm, const std::string& module, py::handle window) {
  return told(lstm.contributions(module, lstm_inputs(read_window(window).events)));
}

py::object named_weights(const BoundLstm& lstm, const std::string& module) {
  const auto weights = lstm.weights(module);
  return weights ? prefrontal::bindings::named_weights(*weights) : py::object(py::none());
}

bool set_weights(BoundLstm& lstm, const std::string& module, const py::dict& weights) {
  return lstm.set_weights(module, prefrontal::bindings::read_weights(weights));
}

py::list lstm_load(BoundLstm& lstm, const py::bytes& bytes, const std::string& only) {
  return told(lstm.load(std::string_view(bytes), only, routing_of_created(lstm.routes)));
}

}  // namespace

void register_lstm(py::module_& pulse) {
  py::class_<BoundLstm> lstm(pulse, "LstmLimbic");
  lstm.def(py::init<std::uint64_t>(), py::arg("seed") = 0)
      .def(
          "add",
          [](BoundLstm& l, const std::string& m, const std::string& digest, py::handle mask) {
            const auto slots = block<const float>(mask, "mask");
            if (slots.columns != prefrontal::simd::kInputs) {
              throw py::value_error("mask must be 16 long, got " + std::to_string(slots.columns));
            }
            l.add(m, digest, {slots.data, prefrontal::simd::kInputs});
            l.routes.remove(m);
          },
          py::arg("module_id"), py::arg("digest"), py::arg("mask"))
      .def(
          "remove", [](BoundLstm& l, const std::string& m) { l.remove(m), l.routes.remove(m); },
          py::arg("module_id"))
      .def("modules", &LstmScorer::modules)
      .def("features", &LstmScorer::features, py::arg("module_id"))
      .def("score", &lstm_score, py::arg("module_id"), py::arg("window"))
      .def("score_all", &lstm_score_all, py::arg("window"))
      .def("score_routed", &lstm_score_routed, py::arg("window"))
      .def("score_stream", &score_stream, py::arg("module_id"), py::arg("event"))
      .def("forget_stream", &LstmScorer::forget_stream, py::arg("module_id"))
      .def("learn", &lstm_learn, py::arg("module_id"), py::arg("window"), py::arg("label"))
      .def("contributions", &lstm_contributions, py::arg("module_id"), py::arg("window"))
      .def("weights", &named_weights, py::arg("module_id"))
      .def("set_weights", &set_weights, py::arg("module_id"), py::arg("weights"))
      .def("save", [](const BoundLstm& l) { return py::bytes(l.save()); })
      .def("load", &lstm_load, py::arg("saved"), py::arg("only") = "");
  prefrontal::bindings::def_route(lstm, "route", [](BoundLstm& l) -> Routes& { return l.routes; });
}
