// prefrontal._core.control: what the circuits of control keep between calls, without torch.
#include "control_state.hpp"

#include "control.hpp"

void register_control_state(pybind11::module_& control) {
  register_cue_reader(control);
  register_context_reader(control);
  register_rule_state(control);
}
