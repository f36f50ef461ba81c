// LinearScorer's saved form, little-endian:
//   "PFLM" u32 version | u32 modules: { string name, string digest, f32 lead, cell bias,
//   u32 cells: { u64 key, cell } } | u32 crc32 of everything before it
// A cell is f32 slow, f32 fast, f32 energy.
// A string is u32 length and bytes. Modules are in order of name, cells in order of key.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/pulse/saved_bytes.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::uint32_t kLinearVersion = 1;

Cell read_cell(ModelReader& reader) {
  const Cell cell{reader.finite(), reader.finite(), reader.finite()};
  reader.expect(cell.energy > 0.0F, "hold energies above 0, got others");
  return cell;
}

}  // namespace

std::string LinearScorer::save() const {
  std::shared_lock lock(mutex_);
  std::vector<std::pair<std::uint64_t, const Row*>> rows;
  for (std::size_t i = 0; i < table_.size(); ++i) rows.emplace_back(table_.key(i), &table_.row(i));
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> cells(bias_.size());  // by slot, in the saved form
  for (const auto& [key, row] : rows) {
    row->for_each([&cells, key = key](Slot slot, const Cell& cell) {
      simd::append(cells[slot], key);
      simd::append(cells[slot], cell);
    });
  }
  simd::SavedWriter out(kLinearMagic, kLinearVersion);
  out.number(static_cast<std::uint32_t>(modules_.size()));
  for (const auto& [name, module] : modules_) {
    out.text(name);
    out.text(module.digest);
    out.number(lead_[module.slot]);
    out.number(bias_[module.slot]);
    out.number(static_cast<std::uint32_t>(module.features));
    out.raw(cells[module.slot]);
  }
  return out.finished();
}

LinearScorer::Arrivals LinearScorer::read_modules(std::string_view bytes, std::string_view only) {
  ModelReader reader(bytes, kLinearMagic, kLinearVersion);
  Arrivals modules;
  for (auto n = reader.number<std::uint32_t>(); n > 0; --n) {
    std::string name(reader.text());
    Arrival module;
    module.digest = reader.text();
    module.lead = reader.finite();
    module.bias = read_cell(reader);
    for (auto cells = reader.number<std::uint32_t>(); cells > 0; --cells) {
      const auto key = reader.number<std::uint64_t>();
      reader.expect(key != 0, "hold keys above 0, got 0");
      module.cells.emplace_back(key, read_cell(reader));
    }
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
