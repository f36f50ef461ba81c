// prefrontal._core.control.GridWorld: one world; the caller keeps the random stream.
#include "csrc/control/world/grid_world.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "control.hpp"
#include "grid_world_arguments.hpp"

namespace py = pybind11;
namespace told = prefrontal::bindings;
using namespace prefrontal::control;

namespace {

using Place = std::pair<int, int>;

int cell_of(const GridWorld& world, const char* what, const Place& place) {
  const int size = static_cast<int>(world.config().size);
  const auto [row, column] = place;
  if (row >= 0 && row < size && column >= 0 && column < size) return row * size + column;
  throw py::value_error(std::string(what) + " must lie inside the walls, got (" +
                        std::to_string(row) + ", " + std::to_string(column) + ")");
}

std::vector<int> cells_of(const GridWorld& world, const char* what,
                          const std::vector<Place>& places) {
  std::vector<int> cells;
  for (const Place& place : places) cells.push_back(cell_of(world, what, place));
  return cells;
}

py::tuple place_of(const GridWorld& world, int cell) {
  const int size = static_cast<int>(world.config().size);
  return py::make_tuple(cell / size, cell % size);
}

py::list places_of(const GridWorld& world, std::span<const int> cells) {
  py::list places;
  for (const int cell : cells) places.append(place_of(world, cell));
  return places;
}

void reset(GridWorld& world, py::handle rng) {
  Random random(told::bit_generator(rng));
  world.reset(random);
}

void reset_to(GridWorld& world, const Place& agent, const std::vector<Place>& hazards,
              const std::vector<Place>& resources) {
  world.reset_to(cell_of(world, "agent", agent), cells_of(world, "hazards", hazards),
                 cells_of(world, "resources", resources));
}

py::object cause_of(DoneCause cause) {
  return cause == DoneCause::none ? py::object(py::none()) : py::str(std::string(name_of(cause)));
}

py::tuple step(GridWorld& world, int action, py::handle rng) {
  if (action < 0 || action >= kActions)
    throw py::value_error("action must be between 0 and 4, got " + std::to_string(action));
  if (!world.running())
    throw py::value_error("world must be reset before a step, got one that is not running");
  Random random(told::bit_generator(rng));
  const Outcome outcome = world.step(action, random);
  const std::string_view name = name_of(outcome.transition);
  return py::make_tuple(outcome.harm_signal, py::str(name.data(), name.size()),
                        cause_of(outcome.done));
}

py::dict observe(const GridWorld& world) {
  ObservationView view;
  py::dict observation = told::new_observation(view);
  world.observe(view);
  return observation;
}

// A copy, size x size.
template <class Told, class T>
py::array table(const GridWorld& world, std::span<const T> values) {
  const auto size = static_cast<py::ssize_t>(world.config().size);
  py::array_t<Told> copy({size, size});
  for (std::size_t i = 0; i < values.size(); ++i)
    copy.mutable_data()[i] = static_cast<Told>(values[i]);
  return copy;
}

}  // namespace

void register_grid_world(py::module_& control) {
  using W = GridWorld;
  py::class_<W>(control, "GridWorld")
      .def(py::init([](const py::kwargs& given) { return W(told::read_config(given)); }))
      .def("reset", &reset, py::arg("rng"))
      .def("reset_to", &reset_to, py::arg("agent"), py::arg("hazards"), py::arg("resources"))
      .def("set_harm_ema", &W::set_harm_ema, py::arg("value"))
      .def("step", &step, py::arg("action"), py::arg("rng"))
      .def("observe", &observe)
      .def("__copy__", [](const W& world) { return W(world); })
      .def("__deepcopy__", [](const W& world, py::handle) { return W(world); })
      .def_property_readonly("running", &W::running)
      .def_property_readonly("agent", [](const W& w) { return place_of(w, w.agent()); })
      .def_property_readonly("hazards", [](const W& w) { return places_of(w, w.hazards()); })
      .def_property_readonly("resources", [](const W& w) { return places_of(w, w.resources()); })
      .def_property_readonly("health", &W::health)
      .def_property_readonly("energy", &W::energy)
      .def_property_readonly("harm_exposure", &W::harm_exposure)
      .def_property_readonly("benefit_exposure", &W::benefit_exposure)
      .def_property_readonly("last_action", &W::last_action)
      .def_property_readonly("steps", &W::steps)
      .def("grid", [](const W& w) { return table<std::int8_t>(w, w.grid()); })
      .def("hazard_field", [](const W& w) { return table<double>(w, w.hazard_field()); })
      .def("resource_field", [](const W& w) { return table<double>(w, w.resource_field()); })
      .def("contamination", [](const W& w) { return table<double>(w, w.contamination()); })
      .def("footprint", [](const W& w) { return table<double>(w, w.footprint()); });
}
