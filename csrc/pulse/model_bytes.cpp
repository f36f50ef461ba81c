// LinearScorer's saved form, little-endian:
//   "PFLM" u32 version | u32 modules: { string name, string digest, f32 lead, cell bias,
//   u32 cells: { u64 key, cell } } | u32 crc32 of everything before it
// A cell is f32 slow, f32 fast, f32 energy.
// A string is u32 length and bytes. Modules are in order of name, cells in order of key.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "csrc/pulse/checksum.hpp"
#include "csrc/pulse/linear_scorer.hpp"

namespace prefrontal::pulse {
namespace {

static_assert(std::endian::native == std::endian::little, "saved models are little-endian");
constexpr std::string_view kMagic = "PFLM";
constexpr std::uint32_t kVersion = 1;

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& out, const std::string& text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

struct Reader {
  std::string_view left;

  std::string_view take(std::size_t n) {
    if (left.size() < n) throw std::invalid_argument("model file must be whole, got a cut one");
    const std::string_view taken = left.substr(0, n);
    left.remove_prefix(n);
    return taken;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint32_t>())); }
  float finite() {
    const auto read = number<float>();
    if (!std::isfinite(read)) {
      throw std::invalid_argument("model file must hold finite weights, got others");
    }
    return read;
  }
  Cell cell() {
    const Cell read{finite(), finite(), finite()};
    if (!(read.energy > 0.0F)) {
      throw std::invalid_argument("model file must hold energies above 0, got others");
    }
    return read;
  }
};

struct SavedModule {
  std::string name;
  std::string digest;
  float lead;
  Cell bias;
  std::vector<std::pair<std::uint64_t, Cell>> cells;
};

std::vector<SavedModule> read_modules(std::string_view bytes) {
  if (bytes.size() < 12 || !bytes.starts_with(kMagic)) {
    throw std::invalid_argument("model file must start with PFLM, got something else");
  }
  Reader reader{bytes.substr(kMagic.size(), bytes.size() - kMagic.size() - 4)};
  const auto version = reader.number<std::uint32_t>();
  if (version != kVersion) {
    throw std::invalid_argument("model file version must be 1, got " + std::to_string(version));
  }
  std::uint32_t stated = 0;
  std::memcpy(&stated, bytes.data() + bytes.size() - 4, 4);
  if (crc32(bytes.substr(0, bytes.size() - 4)) != stated) {
    throw std::invalid_argument("model file must match its checksum, got a damaged one");
  }
  std::vector<SavedModule> modules;
  for (auto n = reader.number<std::uint32_t>(); n > 0; --n) {
    SavedModule module{reader.text(), reader.text(), reader.finite(), reader.cell(), {}};
    for (auto cells = reader.number<std::uint32_t>(); cells > 0; --cells) {
      const auto key = reader.number<std::uint64_t>();
      if (key == 0) throw std::invalid_argument("model file must hold keys above 0, got 0");
      module.cells.emplace_back(key, reader.cell());
    }
    modules.push_back(std::move(module));
  }
  if (!reader.left.empty()) {
    throw std::invalid_argument("model file must end after its modules, got more bytes");
  }
  return modules;
}

}  // namespace

std::string LinearScorer::save() const {
  std::shared_lock lock(mutex_);
  std::vector<std::pair<std::uint64_t, const Row*>> rows;
  for (std::size_t i = 0; i < table_.size(); ++i) rows.emplace_back(table_.key(i), &table_.row(i));
  std::sort(rows.begin(), rows.end());
  std::string out(kMagic);
  append(out, kVersion);
  append(out, static_cast<std::uint32_t>(modules_.size()));
  for (const auto& [name, module] : modules_) {
    append_text(out, name);
    append_text(out, module.digest);
    append(out, lead_[module.slot]);
    append(out, bias_[module.slot]);
    append(out, static_cast<std::uint32_t>(module.features));
    for (const auto& [key, row] : rows) {
      const Cell cell = row->find(module.slot);
      if (cell.energy == 0.0F) continue;
      append(out, key);
      append(out, cell);
    }
  }
  append(out, crc32(out));
  return out;
}

std::vector<std::pair<std::string, Restored>> LinearScorer::load(std::string_view bytes) {
  const std::vector<SavedModule> saved = read_modules(bytes);
  std::unique_lock lock(mutex_);
  std::vector<std::pair<std::string, Restored>> outcome;
  for (const SavedModule& module : saved) {
    const auto known = modules_.find(module.name);
    const bool exists = known != modules_.end();
    if (exists && known->second.digest != module.digest) {
      outcome.emplace_back(module.name, Restored::changed);  // another fingerprint: keep its prior
      continue;
    }
    place(module.name, module.digest, module.bias, module.lead);
    Module& restored = modules_.find(module.name)->second;
    for (const auto& [key, cell] : module.cells) put(restored, key, cell);
    outcome.emplace_back(module.name, exists ? Restored::restored : Restored::created);
  }
  return outcome;
}

}  // namespace prefrontal::pulse
