// Options that are one of a few words.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <string>

namespace prefrontal::bindings {

// Where `value` stands among `words`. Raises ValueError naming `what` for another.
inline int one_of(const char* what, const std::string& value,
                  std::initializer_list<const char*> words) {
  std::string list;
  int at = 0;
  for (const char* word : words) {
    if (value == word) return at;
    list += (at++ ? " or '" : "'") + std::string(word) + "'";
  }
  throw pybind11::value_error(std::string(what) + " must be " + list + ", got " +
                              pybind11::repr(pybind11::str(value)).cast<std::string>());
}

}  // namespace prefrontal::bindings
