// prefrontal._core.pulse: signals, the limbic scorer, rules and the recall promise.
#include "pulse.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "csrc/pulse/feature_vector.hpp"
#include "csrc/pulse/limbic.hpp"
#include "csrc/pulse/recall.hpp"
#include "csrc/pulse/rule_finder.hpp"
#include "events.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;
using prefrontal::bindings::read_event;
using prefrontal::bindings::read_window;

namespace {

py::array_t<float> event_vector(py::handle event) {
  Event read;
  prefrontal::bindings::Spare spare;
  read_event(event, "event", read, spare);
  py::array_t<float> out(kFeatureDim);
  feature_vector(read, out.mutable_data());
  return out;
}

// Keys are kept between calls: one buffer a thread.
Keys& key_buffer() {
  thread_local Keys keys;
  return keys;
}

// Limbic with what Python needs again and again: a dict of its modules, to be copied and filled.
struct BoundLimbic : Limbic {
  using Limbic::Limbic;

  py::dict filled(const LinearScorer::Scores& scores) {
    if (names != scores.modules) {
      names = scores.modules;
      form = py::dict();
      ids.clear();
      for (const std::string& name : *names) {
        ids.emplace_back(name);
        form[ids.back()] = 0.0;
      }
    }
    auto out = py::reinterpret_steal<py::dict>(PyDict_Copy(form.ptr()));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto value = py::float_(static_cast<double>(scores.values[i]));
      if (PyDict_SetItem(out.ptr(), ids[i].ptr(), value.ptr()) != 0) throw py::error_already_set();
    }
    return out;
  }

 private:
  std::shared_ptr<const std::vector<std::string>> names;
  py::dict form;
  std::vector<py::str> ids;
};

double score(const BoundLimbic& limbic, const std::string& module, py::handle window) {
  limbic.keys(module, read_window(window).events, key_buffer());
  return static_cast<double>(limbic.scorer().score(module, key_buffer()));
}

py::dict score_all(BoundLimbic& limbic, py::handle window) {
  limbic.keys(read_window(window).events, key_buffer());
  LinearScorer::Scores scores;
  {
    py::gil_scoped_release released;
    scores = limbic.scorer().score_all(key_buffer());
  }
  return limbic.filled(scores);
}

bool learn(BoundLimbic& limbic, const std::string& module, py::handle window, double label) {
  limbic.keys(module, read_window(window).events, key_buffer());
  return limbic.scorer().learn(module, key_buffer(), static_cast<float>(label));
}

using NamedSeed = std::tuple<std::string, std::string, float>;

void add(BoundLimbic& limbic, const std::string& module, const std::string& digest, float bias,
         const std::vector<NamedSeed>& named) {
  std::vector<Seed> seeds;
  for (const auto& [kind, value, weight] : named)
    seeds.push_back({key_of(kind_of(kind), value), weight});
  limbic.remove(module);
  limbic.scorer().add(module, digest, bias, seeds);
}

// For people: a cut word or half a surrogate pair of a file name is no UTF-8.
py::str readable(const std::string& name) {
  const auto size = static_cast<Py_ssize_t>(name.size());
  auto text = py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(name.data(), size, "replace"));
  if (!text) throw py::error_already_set();
  return text;
}

py::list contributions(const BoundLimbic& limbic, const std::string& module, py::handle window) {
  const auto read = read_window(window);
  py::list out;
  for (const auto& c : limbic.scorer().contributions(module, limbic.named(module, read.events)))
    out.append(py::make_tuple(readable(c.name), static_cast<double>(c.weight)));
  return out;
}

py::list feature_names(py::handle window, bool utc) {
  py::list names;
  for (const auto& f : extract_named(read_window(window).events, utc ? Zone::utc : Zone::local))
    names.append(readable(f.name));
  return names;
}

auto load(BoundLimbic& limbic, const py::bytes& bytes) {
  static constexpr const char* kWords[] = {"restored", "created", "changed"};
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, what] : limbic.scorer().load(std::string_view(bytes)))
    out.emplace_back(name, kWords[static_cast<int>(what)]);
  return out;
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

  py::class_<BoundLimbic>(pulse, "Limbic")
      .def(py::init([](bool utc) { return new BoundLimbic(utc ? Zone::utc : Zone::local); }),
           py::arg("utc") = false)
      .def("add", &add, py::arg("module_id"), py::arg("digest"), py::arg("bias"), py::arg("seeds"))
      .def(
          "remove", [](BoundLimbic& l, const std::string& m) { l.remove(m); }, py::arg("module_id"))
      .def(
          "start_from",
          [](BoundLimbic& l, const std::string& m, const Rule& r) { return l.start_from(m, r); },
          py::arg("module_id"), py::arg("rule"))
      .def("modules", [](const BoundLimbic& l) { return l.scorer().modules(); })
      .def("features",
           [](const BoundLimbic& l, const std::string& m) { return l.scorer().features(m); })
      .def("score", &score, py::arg("module_id"), py::arg("window"))
      .def("score_all", &score_all, py::arg("window"))
      .def("learn", &learn, py::arg("module_id"), py::arg("window"), py::arg("label"))
      .def("contributions", &contributions, py::arg("module_id"), py::arg("window"))
      .def("save", [](const BoundLimbic& l) { return py::bytes(l.scorer().save()); })
      .def("load", &load, py::arg("saved"));

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
