#include "documentation.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace py = pybind11;

namespace {

struct Entry {
  const char* name;
  const char* text;
};

constexpr Entry kEntries[] = {
#include "core_documentation.inc"
};

// Null where the module has no such name.
py::object named(py::object value, const std::string& dotted) {
  std::size_t begin = 0;
  while (value && begin <= dotted.size()) {
    const std::size_t end = std::min(dotted.find('.', begin), dotted.size());
    value = py::getattr(value, dotted.substr(begin, end - begin).c_str(), py::object());
    begin = end + 1;
  }
  return value;
}

// As pybind11 itself keeps the text of a function: allocated, freed with the function.
void document(const py::object& value, const char* text) {
  const bool is_method = PyInstanceMethod_Check(value.ptr());
  PyObject* const function = is_method ? PyInstanceMethod_GET_FUNCTION(value.ptr()) : value.ptr();
  if (!PyCFunction_Check(function)) {
    value.attr("__doc__") = text;
    return;
  }
  char* const copy = strdup(text);
  if (copy == nullptr) throw std::bad_alloc();
  PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  std::free(const_cast<char*>(method->ml_doc));
  method->ml_doc = copy;
}

}  // namespace

void document_from_stubs(py::module_& m) {
  for (const Entry& entry : kEntries) {
    if (const py::object value = named(m, entry.name)) document(value, entry.text);
  }
}
