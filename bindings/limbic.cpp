// prefrontal._core.pulse.Limbic: the scorer of every module.
#include "csrc/pulse/limbic.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "events.hpp"
#include "pulse.hpp"
#include "routes.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;
using prefrontal::bindings::read_window;
using prefrontal::bindings::ScoreDict;
using prefrontal::bindings::told;

namespace {

// Keys are kept between calls: one buffer a thread.
Keys& key_buffer() {
  thread_local Keys keys;
  return keys;
}

struct BoundLimbic : Limbic {
  using Limbic::Limbic;
  ScoreDict scores;
};

double score(const BoundLimbic& limbic, const std::string& module, py::handle window) {
  limbic.keys(module, read_window(window).events, key_buffer());
  return static_cast<double>(limbic.scorer().score(module, key_buffer()));
}

double unseen(const BoundLimbic& limbic, const std::string& module, py::handle window) {
  limbic.keys(module, read_window(window).events, key_buffer());
  return limbic.scorer().unseen(module, key_buffer());
}

// `score` is called without the GIL.
LinearScorer::Scores scored(const BoundLimbic& limbic, const Window& window, auto score) {
  LinearScorer::Scores scores;
  {
    py::gil_scoped_release released;
    scores = score(limbic.scorer(), key_buffer());
  }
  limbic.score_commit(window, scores, key_buffer());
  return scores;
}

py::dict score_all(BoundLimbic& limbic, py::handle window) {
  const auto read = read_window(window);
  limbic.keys(read.events, key_buffer());
  const auto all = [](auto& scorer, auto& keys) { return scorer.score_all(keys); };
  const auto scores = scored(limbic, read.events, all);
  return limbic.scores.filled(scores.modules, scores.values);
}

py::dict score_routed(BoundLimbic& limbic, py::handle window) {
  const auto read = read_window(window);
  const Routes::Match match = limbic.routes().match(read.events);
  if (match.all) return score_all(limbic, window);
  limbic.keys(match.modules, read.events, key_buffer());
  const auto some = [&](auto& scorer, auto& keys) {
    return scorer.score_some(match.modules, keys);
  };
  const auto scores = scored(limbic, read.events, some);
  return limbic.scores.of(scores.modules, scores.values);
}

bool learn(BoundLimbic& limbic, const std::string& module, py::handle window, double label) {
  limbic.keys(module, read_window(window).events, key_buffer());
  return limbic.scorer().learn(module, key_buffer(), static_cast<float>(label));
}

using NamedSeed = std::tuple<std::string, std::string, float>;

void add(BoundLimbic& limbic, const std::string& module, const std::string& digest, float bias,
         const std::vector<NamedSeed>& named, bool steady, bool commit_files) {
  std::vector<Seed> seeds;
  for (const auto& [kind, value, weight] : named)
    seeds.push_back({key_of(kind_of(kind), value), kind_of(kind), weight});
  limbic.add(module, digest, bias, seeds, steady, commit_files);
}

py::list contributions(const BoundLimbic& limbic, const std::string& module, py::handle window) {
  const auto read = read_window(window);
  return told(limbic.scorer().contributions(module, limbic.named(module, read.events)));
}

py::list load(BoundLimbic& limbic, const py::bytes& bytes, const std::string& only) {
  return told(limbic.load(std::string_view(bytes), only));
}

}  // namespace

void register_limbic(py::module_& pulse) {
  py::class_<BoundLimbic> limbic(pulse, "Limbic");
  limbic
      .def(py::init([](bool utc, int version) {
             return new BoundLimbic(utc ? Zone::utc : Zone::local, learning_rates(version));
           }),
           py::arg("utc") = false, py::arg("version") = kLearningVersion)
      .def("add", &add, py::arg("module_id"), py::arg("digest"), py::arg("bias"), py::arg("seeds"),
           py::arg("steady") = true, py::arg("commit_files") = false)
      .def(
          "remove", [](BoundLimbic& l, const std::string& m) { l.remove(m); }, py::arg("module_id"))
      .def(
          "start_from",
          [](BoundLimbic& l, const std::string& m, const Rule& r) { return l.start_from(m, r); },
          py::arg("module_id"), py::arg("rule"))
      .def(
          "read_utc", [](BoundLimbic& l, const std::string& m) { l.read_utc(m); },
          py::arg("module_id"))
      .def("modules", [](const BoundLimbic& l) { return l.scorer().modules(); })
      .def("features",
           [](const BoundLimbic& l, const std::string& m) { return l.scorer().features(m); })
      .def("score", &score, py::arg("module_id"), py::arg("window"))
      .def("unseen", &unseen, py::arg("module_id"), py::arg("window"))
      .def("score_all", &score_all, py::arg("window"))
      .def("score_routed", &score_routed, py::arg("window"))
      .def("learn", &learn, py::arg("module_id"), py::arg("window"), py::arg("label"))
      .def("contributions", &contributions, py::arg("module_id"), py::arg("window"))
      .def("save", [](const BoundLimbic& l) { return py::bytes(l.scorer().save()); })
      .def("load", &load, py::arg("saved"), py::arg("only") = "");
  prefrontal::bindings::def_route(limbic, "route",
                                  [](BoundLimbic& l) -> Routes& { return l.routes(); });
}
