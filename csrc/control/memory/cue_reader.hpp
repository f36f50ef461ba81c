// A snapshot of a context memory, folded for reading: nothing changes it but refresh and
// write_slot. Formulas in cue_fold.hpp and csrc/simd/slots.hpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "csrc/control/memory/cue_fold.hpp"
#include "csrc/control/memory/cue_parameters.hpp"
#include "csrc/simd/slots.hpp"

namespace prefrontal::control {

class CueReader {
 public:
  CueReader(const CueLayout& layout, Parameters parameters);

  const CueLayout& layout() const { return layout_; }
  void refresh(Parameters parameters);
  // Throws std::invalid_argument for a slot outside 0..15, or a row of another length or not
  // finite; the snapshot is then as it was.
  void write_slot(long slot, std::span<const float> row);
  // Names of the parameters that are not those of the snapshot.
  std::vector<std::string_view> changed(const Parameters& parameters) const;

  std::span<const float> memory() const { return parameters_[kMemory]; }
  const Parameters& parameters() const { return parameters_; }  // in the order of cue_shapes

  // The table in use; it is never edited, only replaced, so it may be read without a lock.
  std::shared_ptr<const simd::SlotTable> table() const { return table_; }
  static void read(const simd::SlotTable& table, const simd::SlotRows& rows);
  void read(const simd::SlotRows& rows) const { read(*table_, rows); }

 private:
  CueLayout layout_;
  Parameters parameters_;
  CueFold fold_;
  std::shared_ptr<const simd::SlotTable> table_;
};

}  // namespace prefrontal::control
