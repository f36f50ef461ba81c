// LstmScorer's saved form, little-endian:
//   "PFLS" u32 version | u32 modules: { string name, string digest, u64 labels, f32 weights[21057],
//   and after a first label f32 means[21057], f32 energies[21057] } | u32 crc32 of what is before
// A string is u32 length and bytes. Modules are in order of name, weights in torch's order.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/lstm_scorer.hpp"
#include "csrc/pulse/saved_bytes.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::uint32_t kLstmVersion = 1;

void write_weights(simd::SavedWriter& out, const simd::Lstm& net) {
  const Weights weights = flat(net);
  out.raw({reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float)});
}

void read_weights(ModelReader& reader, simd::Lstm& net) {
  Weights weights(kWeights);
  std::generate(weights.begin(), weights.end(), [&] { return reader.finite(); });
  spread(weights, net);
}

bool all_at_least_0(const simd::Lstm& net) {
  const Weights weights = flat(net);
  return std::ranges::all_of(weights, [](float weight) { return weight >= 0.0F; });
}

}  // namespace

std::string LstmScorer::save() const {
  std::shared_lock lock(mutex_);
  simd::SavedWriter out(kLstmMagic, kLstmVersion);
  out.number(static_cast<std::uint32_t>(modules_.size()));
  for (const auto& [name, module] : modules_) {
    out.text(name);
    out.text(module.digest);
    out.number(module.labels);
    write_weights(out, *module.net);
    if (module.labels == 0) continue;
    write_weights(out, module.moments->mean);
    write_weights(out, module.moments->energy);
  }
  return out.finished();
}

std::vector<std::pair<std::string, LstmScorer::Module>> LstmScorer::read_modules(
    std::string_view bytes) {
  ModelReader reader(bytes, kLstmMagic, kLstmVersion);
  std::vector<std::pair<std::string, Module>> modules;
  for (auto n = reader.number<std::uint32_t>(); n > 0; --n) {
    std::string name(reader.text());
    Module module;
    module.digest = reader.text();
    module.labels = reader.number<std::uint64_t>();
    module.net = std::make_unique<simd::Lstm>();
    read_weights(reader, *module.net);
    if (module.labels > 0) {
      module.moments = std::make_unique<Moments>();
      read_weights(reader, module.moments->mean);
      read_weights(reader, module.moments->energy);
      reader.expect(all_at_least_0(module.moments->energy), "hold energies from 0 up, got others");
    }
    modules.emplace_back(std::move(name), std::move(module));
  }
  reader.expect(reader.empty(), "end after its modules, got more bytes");
  return modules;
}

std::vector<std::pair<std::string, Restored>> LstmScorer::load(std::string_view bytes,
                                                               std::string_view only) {
  auto saved = read_modules(bytes);
  std::unique_lock lock(mutex_);
  std::vector<std::pair<std::string, Restored>> outcome;
  for (auto& [name, module] : saved) {
    if (!only.empty() && name != only) continue;
    const Module* known = find(name);
    if (known != nullptr && known->digest != module.digest) {
      outcome.emplace_back(name, Restored::changed);  // another fingerprint: keep its start
      continue;
    }
    outcome.emplace_back(name, known != nullptr ? Restored::restored : Restored::created);
    modules_.insert_or_assign(name, std::move(module));
  }
  index_names();
  return outcome;
}

}  // namespace prefrontal::pulse
