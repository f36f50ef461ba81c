// prefrontal._core.control.CueReader: a context memory, folded for cues.
#include "csrc/control/memory/cue_reader.hpp"

#include "control_state.hpp"
#include "snapshots.hpp"

namespace py = pybind11;
using namespace prefrontal::bindings;
using namespace prefrontal::control;
using prefrontal::simd::kActions;
using prefrontal::simd::kContext;
using prefrontal::simd::kTerrain;
using prefrontal::simd::kWorld;

namespace {

struct BoundCue : CueReader {
  using CueReader::CueReader;
  alignas(64) float z[kWorld] = {};  // of tick, like the two below
  alignas(64) float action[kActions] = {};
  alignas(64) float terrain[kTerrain] = {};
};

BoundCue* new_cue(py::handle parameters, const std::string& input, const std::string& attention) {
  const CueLayout layout = layout_of(parameters, true, input, attention);
  return new BoundCue(layout, named_arrays(parameters, cue_shapes(layout)));
}

py::tuple read_cue(const BoundCue& cue, py::handle z) {
  const FloatRows in = float_rows(z, "z", kWorld);
  auto action = result_for(in, kActions), terrain = result_for(in, kTerrain);
  run(cue, {in.rows, in.data, nullptr, action.mutable_data(), terrain.mutable_data(), nullptr});
  return py::make_tuple(std::move(action), std::move(terrain));
}

py::tuple read_context(const BoundCue& cue, py::handle z) {
  const FloatRows in = float_rows(z, "z", kWorld);
  auto action = result_for(in, kActions), terrain = result_for(in, kTerrain);
  auto context = result_for(in, kContext);
  run(cue, {in.rows, in.data, nullptr, action.mutable_data(), terrain.mutable_data(),
            context.mutable_data()});
  return py::make_tuple(std::move(action), std::move(terrain), std::move(context));
}

void read_cue_into(const BoundCue& cue, py::handle z, py::handle action, py::handle terrain,
                   py::handle context) {
  const FloatRows in = float_rows(z, "z", kWorld);
  float* const actions = given_for(in, kActions, action, "action_bias", kWorld);
  float* const terrains = given_for(in, kTerrain, terrain, "terrain_weight", kWorld);
  float* const contexts =
      context.is_none() ? nullptr : given_for(in, kContext, context, "cue_context", kWorld);
  run(cue, {in.rows, in.data, nullptr, actions, terrains, contexts});
}

void tick_cue(BoundCue& cue) { cue.read({1, cue.z, nullptr, cue.action, cue.terrain, nullptr}); }

template <std::size_t N>
auto cue_view(float (BoundCue::*field)[N], bool writable) {
  return [field, writable](const py::object& self) {
    return shared_view(self.cast<BoundCue&>().*field, {py::ssize_t{N}}, self, writable);
  };
}

}  // namespace

void register_cue_reader(py::module_& control) {
  const py::arg z("z");
  py::class_<BoundCue> cue(control, "CueReader");
  cue.def(py::init(&new_cue), py::arg("parameters"), py::kw_only(),
          py::arg("cue_action_input") = "context", py::arg("attention") = "dot")
      .def("read", &read_cue, z)
      .def("read_context", &read_context, z)
      .def("read_into", &read_cue_into, z, py::arg("action_bias"), py::arg("terrain_weight"),
           py::arg("cue_context") = py::none())
      .def(
          "weights", [](const BoundCue& self, py::handle rows) { return weights(self, rows); }, z)
      .def("tick", &tick_cue)
      .def_property_readonly("z", cue_view(&BoundCue::z, true))
      .def_property_readonly("action_bias", cue_view(&BoundCue::action, false))
      .def_property_readonly("terrain_weight", cue_view(&BoundCue::terrain, false));
  def_snapshot(cue);
}
