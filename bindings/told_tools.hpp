// A ranking as Python values.
#pragma once

#include <pybind11/pybind11.h>

#include "csrc/routing/tool_index.hpp"

namespace prefrontal::bindings {

// A list of tuples (key, score, features, matched words, explanation or None), best first.
// embedded: whether similarities of an embedder were among what was asked.
pybind11::list told_tools(const routing::Told& told, const routing::Question& asked, bool explain,
                          bool embedded);

}  // namespace prefrontal::bindings
