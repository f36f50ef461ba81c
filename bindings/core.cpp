// Table of contents of prefrontal._core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "control.hpp"
#include "cortex.hpp"
#include "csrc/simd/dispatch.hpp"
#include "documentation.hpp"
#include "pulse.hpp"
#include "routing.hpp"
#include "simd.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "The compiled core of prefrontal.";
  m.attr("__version__") = PREFRONTAL_VERSION;
  m.def("instruction_set", &prefrontal::simd::isa_name);
  m.def("instruction_sets", &prefrontal::simd::supported);
  register_simd(m);
  register_pulse(m);
  register_routing(m);
  register_cortex(m);
  register_control(m);
  document_from_stubs(m);
}
