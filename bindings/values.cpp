#include "values.hpp"

#include <cmath>

namespace prefrontal::bindings {

namespace py = pybind11;

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

namespace {

constexpr std::size_t kLongestAttribute = 64;  // bytes; longer texts are not words of a vocabulary

// What only memory and network events give a meaning; other sources may use the same words. It is
// a feature of the linear scorer too, so it is read and left to be read again.
void special_feature(std::string_view name, py::handle value, std::string_view owner,
                     pulse::Event& out, Spare& spare) {
  if (value.is_none()) return;  // not known, as before a first answer
  const Name what{owner, "features", name};
  if (out.source == "memory") {
    if (name == "namespace") out.name_space = text(value, what, spare);
    if (name == "key") out.key = text(value, what, spare);
    if (name == "value_length") out.value_length = number(value, what);
  } else if (out.source == "network") {
    if (name == "endpoint") out.endpoint = text(value, what, spare);
    if (name == "status_code") out.status_code = number(value, what);
    if (name == "content_hash") out.content_hash = text(value, what, spare);
    if (name == "previous_hash") out.previous_hash = text(value, what, spare);
  }
}

// What modules may declare of a repository, a server or a message. A feature of the linear scorer,
// too.
void routed_feature(std::string_view name, py::handle value, const Name& what, pulse::Event& out,
                    Spare& spare) {
  if (out.source == "filesystem" || !PyUnicode_Check(value.ptr())) return;
  const bool routed = name == "repository" || name == "branch" || name == "path" ||
                      name == "old_path" || name == "server" || name == "sender";
  if (routed)
    out.places.push_back({name, pulse::Attribute::Kind::text, text(value, what, spare), 0.0});
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

}  // namespace

void read_features(py::handle features, std::string_view owner, pulse::Event& out, Spare& spare) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(features.ptr(), &at, &key, &value)) {
    if (!PyUnicode_Check(key)) continue;
    const std::string_view name = text(key, {owner, "features", {}}, spare);
    special_feature(name, value, owner, out, spare);
    routed_feature(name, value, {owner, "features", name}, out, spare);
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

}  // namespace prefrontal::bindings
