// LinearScorer's saved form, little-endian:
//   "PFLM" u32 version | u32 modules: { string name, string digest, leads, cell bias,
//   u32 cells: { u64 key, cell } } | u32 crc32 of everything before it
// In version 1, of scorers without a steady learner, leads are f32 slow, and a cell is f32 slow,
// f32 fast, f32 energy. In version 2 f32 pair follows in leads, f32 steady in a cell.
// A string is u32 length and bytes. Modules are in order of name, cells in order of key.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/pulse/saved_bytes.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::uint32_t kPairVersion = 1;
constexpr std::uint32_t kSteadyVersion = 2;

Cell read_cell(ModelReader& reader) {
  Cell cell{reader.finite(), reader.finite(), reader.finite()};
  reader.expect(cell.energy > 0.0F, "hold energies above 0, got others");
  if (reader.version() == kSteadyVersion) cell.steady = reader.finite();
  return cell;
}

void append(std::string& out, const Cell& cell, bool steady) {
  simd::append(out, cell.slow);
  simd::append(out, cell.fast);
  simd::append(out, cell.energy);
  if (steady) simd::append(out, cell.steady);
}

}  // namespace

std::string LinearScorer::save() const {
  std::shared_lock lock(mutex_);
  std::vector<std::pair<std::uint64_t, const Row*>> rows;
  for (std::size_t i = 0; i < table_.size(); ++i) rows.emplace_back(table_.key(i), &table_.row(i));
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> cells(bias_.size());  // by slot, in the saved form
  for (const auto& [key, row] : rows) {
    row->for_each([&, key = key](Slot slot, const Cell& cell) {
      simd::append(cells[slot], key);
      append(cells[slot], cell, rates_.steady);
    });
  }
  simd::SavedWriter out(kLinearMagic, rates_.steady ? kSteadyVersion : kPairVersion);
  out.number(static_cast<std::uint32_t>(modules_.size()));
  for (const auto& [name, module] : modules_) {
    out.text(name);
    out.text(module.digest);
    out.number(lead_[module.slot].slow);
    if (rates_.steady) out.number(lead_[module.slot].pair);
    std::string bias;
    append(bias, bias_[module.slot], rates_.steady);
    out.raw(bias);
    out.number(static_cast<std::uint32_t>(module.features));
    out.raw(cells[module.slot]);
  }
  return out.finished();
}

// The steady learner of what was saved without one begins with what the pair says, so every score
// stays what it was.
void LinearScorer::begin_steady(Arrival& module) {
  const Mix mix = mix_of(module.lead, false);
  const auto begin = [&mix](Cell& cell) {
    cell.steady = mix.pair_of({cell.slow, cell.fast, 0.0F});
  };
  begin(module.bias);
  for (auto& [key, cell] : module.cells) begin(cell);
}

LinearScorer::Arrivals LinearScorer::read_modules(std::string_view bytes, std::string_view only) {
  ModelReader reader(bytes, kLinearMagic, kSteadyVersion);
  Arrivals modules;
  for (auto n = reader.number<std::uint32_t>(); n > 0; --n) {
    std::string name(reader.text());
    Arrival module;
    module.digest = reader.text();
    module.lead.slow = reader.finite();
    if (reader.version() == kSteadyVersion) module.lead.pair = reader.finite();
    module.bias = read_cell(reader);
    for (auto cells = reader.number<std::uint32_t>(); cells > 0; --cells) {
      const auto key = reader.number<std::uint64_t>();
      reader.expect(key != 0, "hold keys above 0, got 0");
      module.cells.emplace_back(key, read_cell(reader));
    }
    if (reader.version() == kPairVersion) begin_steady(module);
    if (only.empty() || name == only) modules.insert_or_assign(std::move(name), std::move(module));
  }
  reader.expect(reader.empty(), "end after its modules, got more bytes");
  return modules;
}

LinearScorer::Outcome LinearScorer::load(std::string_view bytes, std::string_view only,
                                         const std::function<void(const Outcome&)>& agree) {
  Arrivals saved = read_modules(bytes, only);
  std::unique_lock lock(mutex_);
  Outcome outcome;
  for (const auto& [name, module] : saved) {
    const auto known = modules_.find(name);
    if (known == modules_.end()) {
      outcome.emplace_back(name, Restored::created);
    } else if (known->second.digest == module.digest) {
      outcome.emplace_back(name, Restored::restored);
    } else {
      outcome.emplace_back(name, Restored::changed);  // another fingerprint: keep its prior
    }
  }
  for (const auto& [name, what] : outcome)
    if (what == Restored::changed) saved.erase(name);
  admit(std::move(saved), [&] { agree(outcome); });
  return outcome;
}

}  // namespace prefrontal::pulse
