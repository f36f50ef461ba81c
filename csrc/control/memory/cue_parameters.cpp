#include "csrc/control/memory/cue_parameters.hpp"

#include "csrc/simd/slots.hpp"

namespace prefrontal::control {

using namespace simd;  // its widths

int CueLayout::inputs() const { return cue ? kWorld : kContext; }

std::vector<NamedShape> cue_shapes(const CueLayout& layout) {
  const int wide = layout.memory_dim;
  std::vector<NamedShape> shapes = {
      {"memory", {kSlots, wide}},
      {layout.cue ? "world_query_proj.weight" : "query_proj.weight", {wide, layout.inputs()}},
      {layout.cue ? "world_query_proj.bias" : "query_proj.bias", {wide}},
      {"key_proj.weight", {wide, wide}},
      {"value_proj.weight", {wide, wide}},
      {"value_proj.bias", {wide}},
      {"output_proj.weight", {kContext, wide}},
      {"output_proj.bias", {kContext}},
      {"key_proj.bias", {wide}, false},
  };
  if (!layout.cue) return shapes;
  shapes.push_back({"log_tau", {1}, false});
  shapes.push_back(
      {"cue_action_proj.weight", {kActions, layout.world ? kContext + kWorld : kContext}});
  shapes.push_back({"cue_action_proj.bias", {kActions}});
  shapes.push_back({"cue_terrain_proj.weight", {kTerrain, kContext}});
  shapes.push_back({"cue_terrain_proj.bias", {kTerrain}});
  return shapes;
}

}  // namespace prefrontal::control
