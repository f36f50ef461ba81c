// prefrontal._core.control.ContextReader: a context memory, folded for whole states.
#include "control_state.hpp"
#include "csrc/control/memory/cue_reader.hpp"
#include "snapshots.hpp"

namespace py = pybind11;
using namespace prefrontal::bindings;
using namespace prefrontal::control;
using prefrontal::simd::kContext;

namespace {

struct BoundContext : CueReader {
  using CueReader::CueReader;
};

BoundContext* new_context(py::handle parameters, const std::string& attention) {
  const CueLayout layout = layout_of(parameters, false, "context", attention);
  return new BoundContext(layout, named_arrays(parameters, cue_shapes(layout)));
}

py::array read_memory(const BoundContext& memory, py::handle x) {
  const FloatRows in = float_rows(x, "x", kContext);
  auto out = result_for(in, kContext);
  run(memory, {in.rows, in.data, nullptr, nullptr, nullptr, out.mutable_data()});
  return out;
}

void read_memory_into(const BoundContext& memory, py::handle x, py::handle out) {
  const FloatRows in = float_rows(x, "x", kContext);
  run(memory,
      {in.rows, in.data, nullptr, nullptr, nullptr, given_for(in, kContext, out, "out", kContext)});
}

}  // namespace

void register_context_reader(py::module_& control) {
  const py::arg x("x");
  py::class_<BoundContext> context(control, "ContextReader");
  context
      .def(py::init(&new_context), py::arg("parameters"), py::kw_only(),
           py::arg("attention") = "dot")
      .def("read", &read_memory, x)
      .def("read_into", &read_memory_into, x, py::arg("out"))
      .def(
          "weights", [](const BoundContext& self, py::handle rows) { return weights(self, rows); },
          x);
  def_snapshot(context);
}
