#include "snapshots.hpp"

#include <algorithm>

#include "words.hpp"

namespace prefrontal::bindings {

using control::CueLayout;
using control::CueReader;
using simd::kSlots;

namespace {

constexpr int kManyRows = 128;  // rows: some 4 us, worth giving up the GIL

}  // namespace

CueLayout layout_of(py::handle parameters, bool cue, const std::string& input,
                    const std::string& attention) {
  CueLayout out;
  out.cue = cue;
  out.world = one_of("cue_action_input", input, {"context", "context+world"}) == 1;
  out.cosine = one_of("attention", attention, {"dot", "cosine"}) == 1;
  out.memory_dim = second_size(parameters, "memory", out.memory_dim);
  return out;
}

void run(const CueReader& reader, const simd::SlotRows& rows) {
  if (rows.rows < kManyRows) return reader.read(rows);
  const auto table = reader.table();  // another thread may replace the reader's
  const py::gil_scoped_release released;
  CueReader::read(*table, rows);
}

py::tuple state_of(const CueReader& reader) {
  py::dict parameters;
  const auto shapes = control::cue_shapes(reader.layout());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto& values = reader.parameters()[i];
    if (values.empty()) continue;
    py::array_t<float> array(
        std::vector<py::ssize_t>(shapes[i].shape.begin(), shapes[i].shape.end()));
    std::copy(values.begin(), values.end(), array.mutable_data());
    parameters[py::str(shapes[i].name.data(), shapes[i].name.size())] = array;
  }
  const CueLayout& layout = reader.layout();
  return py::make_tuple(std::move(parameters), layout.cue,
                        layout.world ? "context+world" : "context",
                        layout.cosine ? "cosine" : "dot");
}

py::array weights(const CueReader& reader, py::handle rows) {
  const FloatRows in = float_rows(rows, reader.layout().cue ? "z" : "x", reader.layout().inputs());
  auto out = result_for(in, kSlots);
  run(reader, {in.rows, in.data, out.mutable_data(), nullptr, nullptr, nullptr});
  return out;
}

py::array memory(const CueReader& reader) {
  const auto values = reader.memory();
  py::array_t<float> out({py::ssize_t{kSlots}, py::ssize_t{reader.layout().memory_dim}});
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

void write_slot(CueReader& reader, long slot, py::handle row) {
  const FloatBlock block = float_block(row, "row");
  const int wide = reader.layout().memory_dim;
  if (!block.is(wide)) refuse_shape("row", "(" + std::to_string(wide) + ",)", row);
  reader.write_slot(slot, {block.data, static_cast<std::size_t>(wide)});
}

}  // namespace prefrontal::bindings
