#include "events.hpp"

#include <cmath>

namespace prefrontal::bindings {
namespace {

namespace py = pybind11;
constexpr std::size_t kLongestAttribute = 64;  // bytes; longer texts are not words of a vocabulary

// What an error would call a value; put together only when there is one.
struct Name {
  std::string_view owner;
  std::string_view field;    // of the event
  std::string_view feature;  // of event.features
};

[[noreturn]] void refuse(const Name& name, const char* rule, py::handle value) {
  std::string what(name.owner);
  if (!name.field.empty()) what += "." + std::string(name.field);
  if (!name.feature.empty()) what += "['" + std::string(name.feature) + "']";
  std::string shown = py::repr(value).cast<std::string>();
  if (shown.size() > 120) {
    std::size_t end = 117;
    while ((shown[end] & 0xC0) == 0x80) --end;  // not in the middle of a UTF-8 character
    shown = shown.substr(0, end) + "...";
  }
  throw py::type_error(what + " must " + rule + ", got " + shown);
}

// File names may hold lone surrogates, which have no UTF-8 of their own.
std::string_view text(py::handle value, const Name& what, Spare& spare) {
  if (!PyUnicode_Check(value.ptr())) refuse(what, "be a str", value);
  Py_ssize_t size = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(value.ptr(), &size))
    return {utf8, static_cast<std::size_t>(size)};
  PyErr_Clear();
  const auto bytes = py::reinterpret_steal<py::bytes>(
      PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogatepass"));
  if (!bytes) throw py::error_already_set();
  return spare.texts.emplace_back(std::string_view(bytes));
}

double number(py::handle value, const Name& what) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()))
    refuse(what, "be a number", value);
  const double read = PyFloat_AsDouble(value.ptr());
  if (read != -1.0 || !PyErr_Occurred()) return read;
  const bool huge = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  PyErr_Clear();
  if (!huge) refuse(what, "be a number", value);
  return HUGE_VAL;
}

// Borrowed from the event, or from `spare` where a property made it for us alone.
py::handle field(py::handle event, PyObject* name, std::string_view owner, Spare& spare) {
  auto value = py::reinterpret_steal<py::object>(PyObject_GetAttr(event.ptr(), name));
  if (!value) {
    PyErr_Clear();
    refuse({owner, {}, {}}, "be a SignalEvent", event);
  }
  if (value.ref_count() > 1) return value;
  return spare.objects.emplace_back(std::move(value));
}

bool known_feature(std::string_view name, py::handle value, std::string_view owner,
                   pulse::Event& out, Spare& spare) {
  const Name what{owner, "features", name};
  if (name == "actor") return out.actor = text(value, what, spare), true;
  if (name == "text") return out.text = text(value, what, spare), true;
  if (name == "extension") return out.extension = text(value, what, spare), true;
  if (name == "size_bytes") return out.size_bytes = number(value, what), true;
  if (name == "directory_depth") return out.directory_depth = number(value, what), true;
  if (name == "hour_sin") return out.hour_sin = number(value, what), true;
  if (name == "hour_cos") return out.hour_cos = number(value, what), true;
  if (name == "dow_sin") return out.dow_sin = number(value, what), true;
  if (name == "dow_cos") return out.dow_cos = number(value, what), true;
  if (name == "minutes_since_last_activation")
    return out.minutes_since_last_activation = number(value, what), true;
  return name == "path" || name == "filename_tokens" || name == "content_hash" ||
         name == "previous_hash";
}

void read_features(py::handle features, std::string_view owner, pulse::Event& out, Spare& spare) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(features.ptr(), &at, &key, &value)) {
    if (!PyUnicode_Check(key)) continue;
    const std::string_view name = text(key, {owner, "features", {}}, spare);
    if (known_feature(name, value, owner, out, spare)) continue;
    const Name what{owner, "features", name};
    if (PyUnicode_Check(value)) {
      const std::string_view words = text(value, what, spare);
      if (words.size() <= kLongestAttribute)
        out.attributes.push_back({name, pulse::Attribute::Kind::text, words, 0.0});
    } else if (PyFloat_Check(value) || PyLong_Check(value)) {
      out.attributes.push_back({name, pulse::Attribute::Kind::number, {}, number(value, what)});
    }
  }
}

PyObject* interned(const char* name) { return PyUnicode_InternFromString(name); }

}  // namespace

void read_event(py::handle event, std::string_view owner, pulse::Event& out, Spare& spare) {
  static PyObject* const source = interned("source");
  static PyObject* const location = interned("location");
  static PyObject* const delta_type = interned("delta_type");
  static PyObject* const magnitude = interned("magnitude");
  static PyObject* const timestamp = interned("timestamp");
  static PyObject* const features = interned("features");
  auto given = [&](PyObject* name) { return field(event, name, owner, spare); };
  out.source = text(given(source), {owner, "source", {}}, spare);
  out.location = text(given(location), {owner, "location", {}}, spare);
  out.delta_type = text(given(delta_type), {owner, "delta_type", {}}, spare);
  out.magnitude = number(given(magnitude), {owner, "magnitude", {}});
  out.timestamp = number(given(timestamp), {owner, "timestamp", {}});
  const py::handle more = given(features);
  if (!PyDict_Check(more.ptr())) refuse({owner, "features", {}}, "be a dict", more);
  read_features(more, owner, out, spare);
}

ReadWindow read_window(py::handle window) {
  if (!PyList_Check(window.ptr()) && !PyTuple_Check(window.ptr()))
    refuse({"window", {}, {}}, "be a list of SignalEvent", window);
  ReadWindow read;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(window.ptr());
  read.events.resize(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i)
    read_event(PySequence_Fast_GET_ITEM(window.ptr(), i), "event",
               read.events[static_cast<std::size_t>(i)], read.spare);
  return read;
}

py::str readable(const std::string& name) {
  const auto size = static_cast<Py_ssize_t>(name.size());
  auto text = py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(name.data(), size, "replace"));
  if (!text) throw py::error_already_set();
  return text;
}

}  // namespace prefrontal::bindings
