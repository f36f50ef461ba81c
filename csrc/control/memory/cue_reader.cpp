#include "csrc/control/memory/cue_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "csrc/simd/dispatch.hpp"

namespace prefrontal::control {

CueReader::CueReader(const CueLayout& layout, Parameters parameters)
    : layout_(layout), fold_(layout, parameters) {
  refresh(std::move(parameters));
}

void CueReader::refresh(Parameters parameters) {
  auto table = std::make_shared<simd::SlotTable>();
  CueFold fold(layout_, parameters);
  fold.all(parameters, *table);
  fold_ = std::move(fold);
  parameters_ = std::move(parameters);
  table_ = std::move(table);
}

void CueReader::write_slot(long slot, std::span<const float> row) {
  if (slot < 0 || slot >= simd::kSlots)
    throw std::invalid_argument("slot must be 0 to 15, got " + std::to_string(slot));
  if (row.size() != static_cast<std::size_t>(layout_.memory_dim))
    throw std::invalid_argument("row must hold " + std::to_string(layout_.memory_dim) +
                                " numbers, got " + std::to_string(row.size()));
  for (float value : row) {
    if (!std::isfinite(value))
      throw std::invalid_argument("row must be finite, got " + std::to_string(value));
  }
  const auto place = parameters_[kMemory].begin() + slot * layout_.memory_dim;
  const std::vector<float> before(place, place + layout_.memory_dim);
  auto table = std::make_shared<simd::SlotTable>(*table_);
  std::copy(row.begin(), row.end(), place);
  try {
    fold_.slots(parameters_, static_cast<int>(slot), 1, *table);
  } catch (...) {
    std::copy(before.begin(), before.end(), place);
    throw;
  }
  table_ = std::move(table);
}

std::vector<std::string_view> CueReader::changed(const Parameters& parameters) const {
  std::vector<std::string_view> names;
  const std::vector<NamedShape> shapes = cue_shapes(layout_);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto &mine = parameters_[i], &given = parameters[i];
    if (mine.size() != given.size() ||
        (!mine.empty() && std::memcmp(mine.data(), given.data(), mine.size() * sizeof(float)) != 0))
      names.push_back(shapes[i].name);
  }
  return names;
}

void CueReader::read(const simd::SlotTable& table, const simd::SlotRows& rows) {
  simd::kernels().slots->read(table, rows);
}

}  // namespace prefrontal::control
