// prefrontal._core.control.GridWorlds: many worlds stepped in one call, without the GIL.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "arrays.hpp"
#include "control.hpp"
#include "csrc/control/world/grid_world_vector.hpp"
#include "grid_world_arguments.hpp"

namespace py = pybind11;
namespace told = prefrontal::bindings;
using namespace prefrontal::control;
using prefrontal::bindings::block;

namespace {

// The worlds, and the generators whose streams they draw from.
struct BoundWorlds : GridWorlds {
  BoundWorlds(const GridWorldConfig& config, std::size_t count, Autoreset mode)
      : GridWorlds(config, count, mode), generators(count) {}
  std::vector<py::object> generators;
};

Autoreset mode_of(const std::string& name) {
  if (name == "NextStep") return Autoreset::next_step;
  if (name == "SameStep") return Autoreset::same_step;
  if (name == "Disabled") return Autoreset::disabled;
  throw py::value_error("autoreset_mode must be NextStep, SameStep or Disabled, got '" + name +
                        "'");
}

BoundWorlds* new_worlds(py::ssize_t count, const std::string& mode, const py::kwargs& given) {
  if (count < 1 || count > 1'000'000)
    throw py::value_error("num_envs must be between 1 and 1000000, got " + std::to_string(count));
  return new BoundWorlds(told::read_config(given), static_cast<std::size_t>(count), mode_of(mode));
}

GridWorld& world_of(BoundWorlds& worlds, std::size_t at) {
  if (at < worlds.size()) return worlds[at];
  throw py::index_error("index must be below " + std::to_string(worlds.size()) + ", got " +
                        std::to_string(at));
}

void set_generator(BoundWorlds& worlds, std::size_t at, const py::object& rng) {
  world_of(worlds, at);
  BitGenerator* bits = told::bit_generator(rng);
  worlds.set_random(at, bits);
  worlds.generators[at] = rng.attr("bit_generator");
}

template <class T>
T* vector(const BoundWorlds& worlds, py::handle array, const char* name) {
  const auto read = block<T>(array, name);
  if (read.columns == static_cast<py::ssize_t>(worlds.size())) return read.data;
  throw py::value_error(std::string(name) + " must be " + std::to_string(worlds.size()) +
                        " long, got " + std::to_string(read.columns));
}

void expect_generators(const BoundWorlds& worlds) {
  for (std::size_t at = 0; at < worlds.generators.size(); ++at)
    if (!worlds.generators[at])
      throw py::value_error("generator of world " + std::to_string(at) + " must be set, got none");
}

void reset_worlds(BoundWorlds& worlds, py::handle mask) {
  expect_generators(worlds);
  const bool* chosen = mask.is_none() ? nullptr : vector<const bool>(worlds, mask, "mask");
  py::gil_scoped_release released;
  worlds.reset(chosen);
}

ObservationView rows(const BoundWorlds& worlds, const std::optional<py::dict>& arrays) {
  const auto count = static_cast<py::ssize_t>(worlds.size());
  return arrays ? told::observation_view(*arrays, count) : ObservationView{};
}

void step_worlds(BoundWorlds& worlds, py::handle actions, const py::dict& out,
                 const std::optional<py::dict>& observation, const std::optional<py::dict>& last) {
  expect_generators(worlds);
  StepView view;
  view.observation = rows(worlds, observation);
  view.last = rows(worlds, last);
  view.rewards = vector<double>(worlds, out["rewards"], "rewards");
  view.terminated = vector<bool>(worlds, out["terminated"], "terminated");
  view.truncated = vector<bool>(worlds, out["truncated"], "truncated");
  view.transitions = vector<std::uint8_t>(worlds, out["transitions"], "transitions");
  view.causes = vector<std::uint8_t>(worlds, out["causes"], "causes");
  view.steps = vector<std::int64_t>(worlds, out["steps"], "steps");
  const auto* chosen = vector<const std::int64_t>(worlds, actions, "actions");
  py::gil_scoped_release released;
  worlds.step(chosen, view);
}

void observe_worlds(const BoundWorlds& worlds, const py::dict& observation) {
  const ObservationView view = rows(worlds, observation);
  py::gil_scoped_release released;
  worlds.observe(view);
}

}  // namespace

void register_grid_worlds(py::module_& control) {
  py::class_<BoundWorlds>(control, "GridWorlds")
      .def(py::init(&new_worlds), py::arg("num_envs"), py::arg("autoreset_mode"))
      .def("__len__", &BoundWorlds::size)
      .def("__getitem__", &world_of, py::arg("index"), py::return_value_policy::reference_internal)
      .def("set_generator", &set_generator, py::arg("index"), py::arg("rng"))
      .def("reset", &reset_worlds, py::arg("mask") = py::none())
      .def("step", &step_worlds, py::arg("actions"), py::arg("out"),
           py::arg("observation") = py::none(), py::arg("last") = py::none())
      .def("observe", &observe_worlds, py::arg("observation"));
}
