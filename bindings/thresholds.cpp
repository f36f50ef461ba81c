// Thresholds by name, from and to Python.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <variant>

#include "cortex.hpp"

namespace py = pybind11;

namespace prefrontal::bindings {

using cortex::JumpFrom, cortex::Thresholds;
using Field = std::variant<bool Thresholds::*, double Thresholds::*, std::uint64_t Thresholds::*,
                           std::optional<double> Thresholds::*,
                           std::optional<std::uint64_t> Thresholds::*, JumpFrom Thresholds::*>;

struct ThresholdName {
  const char* name;
  Field field;
};

namespace {

constexpr ThresholdName kNames[] = {
    {"period_s", &Thresholds::period_s},
    {"count", &Thresholds::count},
    {"count_outgoing", &Thresholds::count_outgoing},
    {"new_peer", &Thresholds::new_peer},
    {"promise_timeout", &Thresholds::promise_timeout},
    {"farming", &Thresholds::farming},
    {"retry_s", &Thresholds::retry_s},
    {"retry_limit_s", &Thresholds::retry_limit_s},
    {"farming_easy_count", &Thresholds::farming_easy_count},
    {"farming_jump_from", &Thresholds::farming_jump_from},
    {"farming_jump_factor", &Thresholds::farming_jump_factor},
    {"farming_jump_min_size", &Thresholds::farming_jump_min_size},
    {"farming_tempo_count", &Thresholds::farming_tempo_count},
    {"farming_tempo_per_day", &Thresholds::farming_tempo_per_day},
    {"farming_tempo_gap_s", &Thresholds::farming_tempo_gap_s},
    {"max_peers", &Thresholds::max_peers},
    {"max_commitments", &Thresholds::max_commitments},
};

template <class Error = py::type_error>
[[noreturn]] void refuse(const char* name, const char* rule, py::handle value) {
  throw Error(std::string(name) + " must be " + rule + ", got " +
              py::repr(value).cast<std::string>());
}

struct Read {
  const char* name;
  py::handle value;
  Thresholds& into;

  void operator()(bool Thresholds::* field) const {
    if (!PyBool_Check(value.ptr())) refuse(name, "True or False", value);
    into.*field = value.ptr() == Py_True;
  }
  void operator()(double Thresholds::* field) const { into.*field = number(); }
  void operator()(std::uint64_t Thresholds::* field) const { into.*field = whole(); }
  void operator()(std::optional<double> Thresholds::* field) const {
    into.*field = value.is_none() ? std::nullopt : std::optional(number());
  }
  void operator()(std::optional<std::uint64_t> Thresholds::* field) const {
    into.*field = value.is_none() ? std::nullopt : std::optional(whole());
  }
  void operator()(JumpFrom Thresholds::* field) const {
    into.*field = value.equal(py::str("usual")) ? JumpFrom::usual : JumpFrom::largest;
    if (into.*field == JumpFrom::largest && !value.equal(py::str("largest")))
      refuse<py::value_error>(name, "\"largest\" or \"usual\"", value);
  }
  bool is_whole() const { return PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr()); }
  double number() const {
    if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
    if (!is_whole()) refuse(name, "a number", value);
    const double read = PyLong_AsDouble(value.ptr());  // an error when it is too large
    return PyErr_Occurred() ? (PyErr_Clear(), HUGE_VAL) : read;
  }
  std::uint64_t whole() const {
    if (!is_whole()) refuse(name, "a whole number", value);
    int overflow = 0;
    const long long read = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0 || read < 0) refuse<py::value_error>(name, "a count", value);
    return static_cast<std::uint64_t>(read);
  }
};

const auto& spoken(const auto& value) { return value; }
const char* spoken(const JumpFrom& from) { return from == JumpFrom::usual ? "usual" : "largest"; }

const ThresholdName* named(const std::string& name) {
  for (const ThresholdName& each : kNames)
    if (name == each.name) return &each;
  throw py::type_error("option must be a threshold of TriggerEngine, got '" + name + "'");
}

}  // namespace

GivenThresholds::GivenThresholds(const py::kwargs& given) {
  for (const auto& [key, value] : given) {
    named_.push_back(named(key.cast<std::string>()));
    std::visit(Read{named_.back()->name, value, values_}, named_.back()->field);
  }
}

void GivenThresholds::operator()(Thresholds& thresholds) const {
  for (const ThresholdName* each : named_)
    std::visit([&](auto field) { thresholds.*field = values_.*field; }, each->field);
}

py::dict told_thresholds(const Thresholds& thresholds) {
  py::dict out;
  for (const ThresholdName& each : kNames)
    std::visit([&](auto field) { out[each.name] = spoken(thresholds.*field); }, each.field);
  return out;
}

}  // namespace prefrontal::bindings
