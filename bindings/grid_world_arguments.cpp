#include "grid_world_arguments.hpp"

#include <string>
#include <utility>

#include "arrays.hpp"

namespace prefrontal::bindings {

using namespace prefrontal::control;

namespace {

[[noreturn]] void refuse_type(const std::string& name, const char* wanted, py::handle got) {
  throw py::type_error(name + " must be " + wanted + ", got " + py::repr(got).cast<std::string>());
}

void read(std::int64_t& field, const std::string& name, py::handle value) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number || PyBool_Check(value.ptr())) {
    PyErr_Clear();
    refuse_type(name, "a whole number", value);
  }
  int overflow = 0;
  field = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) refuse_type(name, "a number of 64 bits", value);
}

void read(double& field, const std::string& name, py::handle value) {
  field = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr && !PyBool_Check(value.ptr())) return;
  PyErr_Clear();
  refuse_type(name, "a number", value);
}

void read(bool& field, const std::string& name, py::handle value) {
  if (!PyBool_Check(value.ptr())) refuse_type(name, "True or False", value);
  field = value.ptr() == Py_True;
}

void read(Profile& field, const std::string& name, py::handle value) {
  const std::string text = py::isinstance<py::str>(value) ? value.cast<std::string>() : "";
  if (text != "upstream" && text != "fixed") {
    throw py::value_error(name + " must be 'upstream' or 'fixed', got " +
                          py::repr(value).cast<std::string>());
  }
  field = text == "fixed" ? Profile::fixed : Profile::upstream;
}

// Whether `name` is a field of the configuration; then it has been read.
bool read_field(GridWorldConfig& config, const std::string& name, py::handle value) {
  bool found = false;
  const auto field = [&](const char* each, auto GridWorldConfig::* member) {
    if (!found && name == each) read(config.*member, name, value), found = true;
  };
  field("size", &GridWorldConfig::size);
  field("num_hazards", &GridWorldConfig::num_hazards);
  field("num_resources", &GridWorldConfig::num_resources);
  field("max_steps", &GridWorldConfig::max_steps);
  field("drift_interval", &GridWorldConfig::drift_interval);
  field("drift_prob", &GridWorldConfig::drift_prob);
  field("decay", &GridWorldConfig::decay);
  field("hazard_harm", &GridWorldConfig::hazard_harm);
  field("contaminated_harm", &GridWorldConfig::contaminated_harm);
  field("resource_benefit", &GridWorldConfig::resource_benefit);
  field("harm_scale", &GridWorldConfig::harm_scale);
  field("benefit_scale", &GridWorldConfig::benefit_scale);
  field("approach_threshold", &GridWorldConfig::approach_threshold);
  field("restoration", &GridWorldConfig::restoration);
  field("energy_decay", &GridWorldConfig::energy_decay);
  field("contamination_spread", &GridWorldConfig::contamination_spread);
  field("contamination_threshold", &GridWorldConfig::contamination_threshold);
  field("exposure_alpha", &GridWorldConfig::exposure_alpha);
  field("harm_ema_alpha", &GridWorldConfig::harm_ema_alpha);
  field("resource_respawn_on_consume", &GridWorldConfig::resource_respawn_on_consume);
  field("persist_harm_ema", &GridWorldConfig::persist_harm_ema);
  field("profile", &GridWorldConfig::profile);
  return found;
}

float* rows_of(const py::dict& arrays, const char* name, py::ssize_t rows, int columns) {
  if (!arrays.contains(name))
    throw py::value_error(std::string("observation must hold ") + name + ", got " +
                          py::str(py::list(arrays)).cast<std::string>());
  const auto read = block<float>(arrays[name], name, rows == 0 ? 1 : 2);
  if (read.columns == columns && read.rows == std::max<py::ssize_t>(rows, 1)) return read.data;
  throw py::value_error(std::string(name) + " must have " + std::to_string(rows) + " rows of " +
                        std::to_string(columns) + ", got " + std::to_string(read.rows) + " of " +
                        std::to_string(read.columns));
}

}  // namespace

GridWorldConfig read_config(const py::kwargs& given) {
  GridWorldConfig config;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (!read_field(config, name, value))
      throw py::type_error("option must be a field of GridWorldConfig, got '" + name + "'");
  }
  if (!given.contains("persist_harm_ema"))
    config.persist_harm_ema = config.profile == Profile::upstream;
  return config;
}

BitGenerator* bit_generator(py::handle rng) {
  const py::object bits = py::getattr(rng, "bit_generator", py::none());
  const py::object capsule = py::getattr(bits, "capsule", py::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "BitGenerator"))
    refuse_type("rng", "a numpy.random.Generator", rng);
  return static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
}

ObservationView observation_view(const py::dict& arrays, py::ssize_t rows) {
  return {rows_of(arrays, "body", rows, kBody), rows_of(arrays, "world", rows, kWorld),
          rows_of(arrays, "harm", rows, kHarm), rows_of(arrays, "harm_a", rows, kHarmEma)};
}

py::dict new_observation(ObservationView& view) {
  py::dict told;
  const auto add = [&](const char* name, int length) {
    py::array_t<float> array(length);
    told[name] = array;
    return array.mutable_data();
  };
  view.body = add("body", kBody);
  view.world = add("world", kWorld);
  view.harm = add("harm", kHarm);
  view.harm_a = add("harm_a", kHarmEma);
  return told;
}

}  // namespace prefrontal::bindings
