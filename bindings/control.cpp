// prefrontal._core.control: table of contents.
#include "control.hpp"

void register_control(pybind11::module_& m) {
  auto control = m.def_submodule("control", "State objects and the world of the control circuits.");
  register_grid_world(control);
  register_grid_worlds(control);
  register_control_state(control);
}
