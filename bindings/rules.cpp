// prefrontal._core.pulse.Rule, FoundRule and RuleFinder: rules of one line.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>

#include "csrc/pulse/rule_finder.hpp"
#include "events.hpp"
#include "pulse.hpp"

namespace py = pybind11;
using namespace prefrontal::pulse;
using prefrontal::bindings::read_window;
using prefrontal::bindings::readable;

namespace {

constexpr std::array kJoins = {"one", "or", "and", "but not"};
constexpr std::array kAbouts = {"path", "actor", "word"};
constexpr std::array kScopes = {"anywhere", "under", "inside", "named"};

// Any bytes, to a str and back.
py::object escaped(const std::string& bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(text);
}

std::string unescaped(const py::handle& text) {
  return py::bytes(py::str(text).attr("encode")("utf-8", "surrogateescape"));
}

template <typename Enum, std::size_t N>
Enum named(const std::array<const char*, N>& names, const py::handle& word, const char* field) {
  const std::string told = py::str(word);
  for (std::size_t i = 0; i < N; ++i)
    if (told == names[i]) return static_cast<Enum>(i);
  throw py::value_error(std::string(field) + " must be one of a rule's words, got '" + told + "'");
}

py::dict term_parts(const Term& term) {
  py::dict parts;
  parts["about"] = kAbouts[static_cast<std::size_t>(term.about)];
  parts["scope"] = kScopes[static_cast<std::size_t>(term.scope)];
  parts["place"] = escaped(term.place);
  parts["extension"] = term.extension ? escaped(*term.extension) : py::none();
  parts["outside"] = escaped(term.outside);
  return parts;
}

Term term_of(const py::dict& parts) {
  Term term;
  term.about = named<Term::About>(kAbouts, parts["about"], "about");
  term.scope = named<Term::Scope>(kScopes, parts["scope"], "scope");
  term.place = unescaped(parts["place"]);
  if (!parts["extension"].is_none()) term.extension = unescaped(parts["extension"]);
  term.outside = unescaped(parts["outside"]);
  return term;
}

py::dict to_dict(const Rule& rule) {
  py::dict parts;
  parts["join"] = kJoins[static_cast<std::size_t>(rule.join)];
  parts["first"] = term_parts(rule.first);
  parts["second"] = term_parts(rule.second);
  parts["log_odds_match"] = rule.log_odds_match;
  parts["log_odds_rest"] = rule.log_odds_rest;
  return parts;
}

Rule from_dict(const py::dict& parts) {
  Rule rule;
  rule.join = named<Rule::Join>(kJoins, parts["join"], "join");
  rule.first = term_of(parts["first"].cast<py::dict>());
  rule.second = term_of(parts["second"].cast<py::dict>());
  rule.log_odds_match = parts["log_odds_match"].cast<double>();
  rule.log_odds_rest = parts["log_odds_rest"].cast<double>();
  return rule;
}

}  // namespace

void register_rules(py::module_& pulse) {
  py::class_<Rule>(pulse, "Rule")
      .def("matches", [](const Rule& r, py::handle w) { return r.matches(read_window(w).events); })
      .def_readonly("log_odds_match", &Rule::log_odds_match)
      .def_readonly("log_odds_rest", &Rule::log_odds_rest)
      .def("to_dict", &to_dict)
      .def_static("from_dict", &from_dict, py::arg("parts"))
      .def("__str__", [](const Rule& r) { return readable(r.text()); });
  py::class_<FoundRule>(pulse, "FoundRule")
      .def_property_readonly("rule", [](const FoundRule& found) { return found.rule; })
      .def_readonly("windows", &FoundRule::windows)
      .def_readonly("relevant", &FoundRule::relevant)
      .def_readonly("matched", &FoundRule::matched)
      .def_readonly("caught", &FoundRule::caught)
      .def_readonly("beats_chance", &FoundRule::beats_chance);
  py::class_<RuleFinder>(pulse, "RuleFinder")
      .def(py::init<>())
      .def("__len__", &RuleFinder::windows)
      .def(
          "add", [](RuleFinder& f, py::handle w, bool r) { f.add(read_window(w).events, r); },
          py::arg("window"), py::arg("relevant"))
      .def("find", &RuleFinder::find);
}
