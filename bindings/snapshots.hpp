// What CueReader and ContextReader have in common: snapshots of a context memory.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "csrc/control/memory/cue_reader.hpp"
#include "float_blocks.hpp"
#include "named_arrays.hpp"

namespace prefrontal::bindings {

// The layout that the parameters have, to be checked when they are read.
control::CueLayout layout_of(py::handle parameters, bool cue, const std::string& input,
                             const std::string& attention);

// Reads with the GIL, or without it where there are many rows.
void run(const control::CueReader& reader, const simd::SlotRows& rows);

// The parameters of a snapshot by name, and back: what pickle and copy keep.
py::tuple state_of(const control::CueReader& reader);

py::array weights(const control::CueReader& reader, py::handle rows);
py::array memory(const control::CueReader& reader);
void write_slot(control::CueReader& reader, long slot, py::handle row);

template <class T>
void def_snapshot(py::class_<T>& reader) {
  const auto read = [](const T& self, py::handle parameters) {
    return named_arrays(parameters, control::cue_shapes(self.layout()));
  };
  const py::arg parameters("parameters");
  reader
      .def(
          "refresh", [read](T& self, py::handle given) { self.refresh(read(self, given)); },
          parameters)
      .def(
          "changed",
          [read](const T& self, py::handle given) {
            return told_names(self.changed(read(self, given)));
          },
          parameters)
      .def(
          "write_slot", [](T& self, long slot, py::handle row) { write_slot(self, slot, row); },
          py::arg("slot"), py::arg("row"))
      .def_property_readonly("memory", [](const T& self) { return memory(self); })
      .def(py::pickle([](const T& self) { return state_of(self); },
                      [](const py::tuple& state) {
                        const auto layout =
                            layout_of(state[0], state[1].cast<bool>(), state[2].cast<std::string>(),
                                      state[3].cast<std::string>());
                        return new T(layout, named_arrays(state[0], control::cue_shapes(layout)));
                      }));
}

}  // namespace prefrontal::bindings
