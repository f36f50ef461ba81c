// prefrontal._core.routing.ToolIndex.
#include "csrc/routing/tool_index.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "given_tools.hpp"
#include "routing.hpp"
#include "told_tools.hpp"

namespace py = pybind11;
using namespace prefrontal::routing;
using prefrontal::bindings::text_of;
using prefrontal::bindings::utf8;

namespace {

void put(ToolIndex& index, const py::list& tools) {
  const auto read = prefrontal::bindings::read_tools(tools);
  py::gil_scoped_release released;
  index.put(read.tools);
}

using Triple = std::tuple<double, double, double>;

Calibration calibration_of(const Triple& told) {
  return {std::get<0>(told), std::get<1>(told), std::get<2>(told)};
}

py::list ranked_tools(const ToolIndex& index, const py::str& intent, std::uint32_t most,
                      const Triple& weights, const Triple& calibration, const Moment& now,
                      const std::vector<std::pair<std::string, double>>& similarities, double share,
                      bool explain, bool relatives, bool word_vectors,
                      const std::vector<std::pair<std::string, double>>& successes) {
  std::string spare;
  Question question;
  question.intent = utf8(intent, spare);
  question.most = most;
  question.weights = {std::get<0>(weights), std::get<1>(weights), std::get<2>(weights)};
  question.calibration = calibration_of(calibration);
  question.now = now;
  question.similarity_share = share;
  question.relatives = relatives;
  question.joined = explain;
  question.word_vectors = word_vectors;
  Told told;
  {
    py::gil_scoped_release released;
    told = index.rank(question, similarities, successes);
  }
  return prefrontal::bindings::told_tools(told, question, explain, !similarities.empty());
}

double relevance_of(const ToolIndex& index, const py::str& intent, const Triple& calibration,
                    bool relatives, bool word_vectors) {
  std::string spare;
  const std::string_view text = utf8(intent, spare);
  py::gil_scoped_release released;
  return index.relevance(text, calibration_of(calibration), relatives, word_vectors);
}

using Feedback = bool (ToolIndex::*)(std::string_view, std::string_view, const Moment&);

template <Feedback feedback>
bool learn(ToolIndex& index, const py::str& intent, const py::str& key, const Moment& now) {
  std::string spare[2];
  const std::string_view text = utf8(intent, spare[0]);
  const std::string_view name = utf8(key, spare[1]);
  py::gil_scoped_release released;
  return (index.*feedback)(text, name, now);
}

bool with_key(const py::str& key, auto&& asked) {
  std::string spare;
  return asked(utf8(key, spare));
}

}  // namespace

void register_tool_index(py::module_& routing) {
  py::register_local_exception<UnreadableIndex>(routing, "UnreadableIndexError", PyExc_ValueError);
  py::class_<Moment>(routing, "Moment")
      .def(py::init(
               [](double unix_s, double half_life_days) { return Moment{unix_s, half_life_days}; }),
           py::arg("unix_s") = kNoTime, py::arg("half_life_days") = 30.0);
  py::class_<ToolIndex>(routing, "ToolIndex")
      .def(py::init<>())
      .def("put", &put, py::arg("tools"))
      .def(
          "remove",
          [](ToolIndex& index, const py::str& key) {
            return with_key(key, [&](std::string_view text) { return index.remove(text); });
          },
          py::arg("key"))
      .def("__len__", &ToolIndex::size)
      .def("__contains__",
           [](const ToolIndex& index, const py::str& key) {
             return with_key(key, [&](std::string_view text) { return index.contains(text); });
           })
      .def("keys",
           [](const ToolIndex& index) {
             py::list out;
             for (const std::string& key : index.keys()) out.append(text_of(key));
             return out;
           })
      .def("rank", &ranked_tools, py::arg("intent"), py::arg("k"), py::arg("weights"),
           py::arg("calibration"), py::arg("now"), py::arg("similarities"),
           py::arg("similarity_share"), py::arg("explain"), py::arg("relatives"),
           py::arg("word_vectors"), py::arg("successes"))
      .def("relevance", &relevance_of, py::arg("intent"), py::arg("calibration"),
           py::arg("relatives"), py::arg("word_vectors"))
      .def("accept", &learn<&ToolIndex::accept>, py::arg("intent"), py::arg("key"), py::arg("now"))
      .def("reject", &learn<&ToolIndex::reject>, py::arg("intent"), py::arg("key"), py::arg("now"))
      .def("save", [](const ToolIndex& index) { return py::bytes(index.save()); })
      .def("load", &ToolIndex::load, py::arg("path"), py::call_guard<py::gil_scoped_release>());
}
