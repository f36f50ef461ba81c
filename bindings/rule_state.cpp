// prefrontal._core.control.RuleState: the gated rule state and its bias over candidates.
#include "csrc/control/rule/rule_state.hpp"

#include "bound_rule.hpp"
#include "control_state.hpp"
#include "named_arrays.hpp"
#include "rule_arguments.hpp"

namespace py = pybind11;
using namespace prefrontal::bindings;
using namespace prefrontal::control;

namespace {

constexpr py::ssize_t kManyCandidates = 256;  // candidates: some 4 us, worth giving up the GIL

void update(BoundRule& state, py::handle z_delta, py::handle z_world, py::handle gate,
            py::handle override) {
  const int n = state.options().environments;
  const FloatRows delta = read_z(state, z_delta, "z_delta");
  const FloatRows world = read_z(state, z_world, "z_world");
  if (delta.rows != world.rows)
    throw py::value_error("z_world must have as many rows as z_delta (" +
                          std::to_string(delta.rows) + "), got " + std::to_string(world.rows));
  state.update(delta.data, world.data, delta.rows, Numbers(gate, "gate", n).span(),
               Numbers(override, "override", n).span());
}

void run(const RuleState& state, const Candidates& in, float* out) {
  RuleView view = state.view();
  const int rules = state.rules(), count = static_cast<int>(in.count);
  if (rules * in.count < kManyCandidates) return view.bias(in.summaries, rules, count, out);
  const std::vector<float> hidden(state.hidden().begin(), state.hidden().end());
  view.hidden = hidden.data();  // another thread may move the rule meanwhile
  const py::gil_scoped_release released;
  view.bias(in.summaries, rules, count, out);
}

py::array bias(const BoundRule& state, py::handle summaries) {
  const Candidates in = read_summaries(state, summaries);
  py::array_t<float> out(shaped(state, {in.count}));
  run(state, in, out.mutable_data());
  return out;
}

void bias_into(const BoundRule& state, py::handle summaries, py::handle biases) {
  const Candidates in = read_summaries(state, summaries);
  run(state, in, read_biases(state, in, biases));
}

void tick_rule(BoundRule& state, py::handle gate, py::handle override) {
  const int n = state.options().environments;
  state.update(state.z_delta.data(), state.z_world.data(), 1, Numbers(gate, "gate", n).span(),
               Numbers(override, "override", n).span());
  run(state, {state.summaries.data(), state.candidates}, state.biases.data());
}

Parameters parameters_of(const BoundRule& state, py::handle parameters) {
  return named_arrays(parameters, rule_shapes(state.options()));
}

}  // namespace

void register_rule_state(py::module_& control) {
  const auto override = py::arg("override") = 0.0, gate = py::arg("gate") = 1.0;
  const py::arg parameters("parameters"), summaries("summaries");
  py::class_<BoundRule> rule(control, "RuleState");
  def_made(rule);
  rule.def("update", &update, py::arg("z_delta"), py::arg("z_world"), gate, override)
      .def("bias", &bias, summaries)
      .def("bias_into", &bias_into, summaries, py::arg("biases"))
      .def("tick", &tick_rule, gate, override)
      .def(
          "refresh",
          [](BoundRule& self, py::handle given) { self.refresh(parameters_of(self, given)); },
          parameters)
      .def(
          "changed",
          [](const BoundRule& self, py::handle given) {
            return told_names(self.changed(parameters_of(self, given)));
          },
          parameters);
  def_kept(rule);
}
