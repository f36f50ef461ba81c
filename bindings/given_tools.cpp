#include "given_tools.hpp"

#include "routing.hpp"

namespace py = pybind11;

namespace prefrontal::bindings {
namespace {

using routing::GivenTool;

[[noreturn]] void refuse(const std::string& rule, py::handle value) {
  throw py::value_error(rule + ", got " + py::repr(value).cast<std::string>());
}

std::string_view text(py::handle value, const char* what, GivenTools& read) {
  if (!PyUnicode_Check(value.ptr())) refuse(std::string(what) + " must be text", value);
  read.kept.push_back(py::reinterpret_borrow<py::object>(value));
  std::string own;
  const std::string_view lent = utf8(value, own);
  return own.empty() ? lent : std::string_view(read.spare.emplace_back(std::move(own)));
}

py::object item(py::handle tool, const char* key) {
  PyObject* value = PyDict_GetItemString(tool.ptr(), key);
  return value == nullptr ? py::none() : py::reinterpret_borrow<py::object>(value);
}

void read_intents(py::handle intents, GivenTool& out, GivenTools& read) {
  if (!PyList_Check(intents.ptr()) && !PyTuple_Check(intents.ptr()))
    refuse("a tool's intents must be a list of texts", intents);
  for (const py::handle intent : intents)
    out.intents.push_back(text(intent, "a tool's intent", read));
}

double read_history(py::handle history) {
  const double value = PyFloat_AsDouble(history.ptr());
  const bool number = PyErr_Occurred() == nullptr;
  PyErr_Clear();
  if (!number || !(value >= 0.0 && value <= 1.0))
    refuse("a tool's history must be between 0 and 1", history);
  return value;
}

GivenTool read_tool(py::handle tool, GivenTools& read) {
  GivenTool out;
  const py::object name = item(tool, "name");
  out.name = text(name, "a tool's name", read);
  if (out.name.empty()) refuse("a tool's name must not be empty", name);
  const py::object key = item(tool, "key");
  out.key = key.is_none() ? out.name : text(key, "a tool's key", read);
  const py::object doc = item(tool, "doc");
  if (!doc.is_none()) out.doc = text(doc, "a tool's doc", read);
  const py::object intents = item(tool, "intents");
  if (!intents.is_none()) read_intents(intents, out, read);
  const py::object history = item(tool, "history");
  if (!history.is_none()) out.history = read_history(history);
  return out;
}

}  // namespace

GivenTools read_tools(const py::list& tools) {
  GivenTools read;
  read.tools.reserve(tools.size());
  for (const py::handle tool : tools) {
    if (!PyDict_Check(tool.ptr())) refuse("a tool must be a dict", tool);
    read.tools.push_back(read_tool(tool, read));
  }
  return read;
}

}  // namespace prefrontal::bindings
