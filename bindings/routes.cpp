// prefrontal._core.pulse.Routes: which modules a window concerns.
#include "routes.hpp"

#include "events.hpp"
#include "pulse.hpp"

namespace py = pybind11;
using prefrontal::bindings::read_window;
using prefrontal::pulse::Routes;

void register_routes(py::module_& pulse) {
  py::class_<Routes> routes(pulse, "Routes");
  routes.def(py::init<>())
      .def("remove", &Routes::remove, py::arg("module_id"))
      .def("modules", &Routes::modules)
      .def(
          "match",
          [](const Routes& r, py::handle window) {
            const Routes::Match match = r.match(read_window(window).events);
            return match.all ? r.modules() : match.modules;
          },
          py::arg("window"));
  prefrontal::bindings::def_route(routes, "add", [](Routes& r) -> Routes& { return r; });
}
