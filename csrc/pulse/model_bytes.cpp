// LinearScorer's saved form, little-endian:
//   "PFLM" u32 version | u32 modules: { string name, string digest, flags, leads, cell bias,
//   u32 cells: { u64 key, cell } } | u32 crc32 of everything before it
// In version 1, of scorers without a steady learner, leads are f32 slow, and a cell is f32 slow,
// f32 fast, f32 energy. From version 2 on f32 pair follows in leads, f32 steady in a cell. Flags
// come with version 3: a u32, 1 where commits are read as their files. Without such a module
// version 2 is written, as by gates of before, whose starts keep a checksum. A string is u32 length
// and bytes. Modules are in order of name, cells in order of key.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/pulse/saved_bytes.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::uint32_t kPairVersion = 1;
constexpr std::uint32_t kSteadyVersion = 2;
constexpr std::uint32_t kFlagsVersion = 3;
constexpr std::uint32_t kCommitFiles = 1;

Cell read_cell(ModelReader& reader) {
  Cell cell{reader.finite(), reader.finite(), reader.finite()};
  reader.expect(cell.energy > 0.0F, "hold energies above 0, got others");
  if (reader.version() >= kSteadyVersion) cell.steady = reader.finite();
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
  const bool flags =
      std::ranges::any_of(modules_, [](const auto& module) { return module.second.commit_files; });
  const std::uint32_t version = flags ? kFlagsVersion : kSteadyVersion;
  simd::SavedWriter out(kLinearMagic, rates_.steady ? version : kPairVersion);
  out.number(static_cast<std::uint32_t>(modules_.size()));
  for (const auto& [name, module] : modules_) {
    out.text(name);
    out.text(module.digest);
    if (rates_.steady && flags) out.number(module.commit_files ? kCommitFiles : 0U);
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
  ModelReader reader(bytes, kLinearMagic, kFlagsVersion);
  Arrivals modules;
  for (auto n = reader.number<std::uint32_t>(); n > 0; --n) {
    std::string name(reader.text());
    Arrival module;
    module.digest = reader.text();
    if (reader.version() >= kFlagsVersion) {
      const auto flags = reader.number<std::uint32_t>();
      reader.expect(flags <= kCommitFiles, "hold known flags, got others");
      module.commit_files = flags == kCommitFiles;
    }
    module.lead.slow = reader.finite();
    if (reader.version() >= kSteadyVersion) module.lead.pair = reader.finite();
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
