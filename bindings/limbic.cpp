// prefrontal._core.pulse.Limbic: the scorer of every module.
#include "csrc/pulse/limbic.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "events.hpp"
#include "pulse.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;
using prefrontal::bindings::read_window;
using prefrontal::bindings::readable;

namespace {

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
py::list contributions(const BoundLimbic& limbic, const std::string& module, py::handle window) {
  const auto read = read_window(window);
  py::list out;
  for (const auto& c : limbic.scorer().contributions(module, limbic.named(module, read.events)))
    out.append(py::make_tuple(readable(c.name), static_cast<double>(c.weight)));
  return out;
}

auto load(BoundLimbic& limbic, const py::bytes& bytes) {
  static constexpr const char* kWords[] = {"restored", "created", "changed"};
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, what] : limbic.scorer().load(std::string_view(bytes)))
    out.emplace_back(name, kWords[static_cast<int>(what)]);
  return out;
}

}  // namespace

void register_limbic(py::module_& pulse) {
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
}
