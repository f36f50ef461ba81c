#include "events.hpp"

#include "values.hpp"

namespace prefrontal::bindings {
namespace {

namespace py = pybind11;

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
