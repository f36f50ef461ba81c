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

LstmScorer::Modules LstmScorer::read_modules(std::string_view bytes, std::string_view only) {
  ModelReader reader(bytes, kLstmMagic, kLstmVersion);
  Modules modules;
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
    if (only.empty() || name == only) modules.insert_or_assign(std::move(name), std::move(module));
  }
  reader.expect(reader.empty(), "end after its modules, got more bytes");
  return modules;
}

LstmScorer::Outcome LstmScorer::load(std::string_view bytes, std::string_view only,
                                     const std::function<void(const Outcome&)>& agree) {
  Modules saved = read_modules(bytes, only);
  std::unique_lock lock(mutex_);
  Outcome outcome;
  for (const auto& [name, module] : saved) {
    const Module* known = find(name);
    if (known == nullptr) {
      outcome.emplace_back(name, Restored::created);
    } else if (known->digest == module.digest) {
      outcome.emplace_back(name, Restored::restored);
    } else {
      outcome.emplace_back(name, Restored::changed);  // another fingerprint: keep its start
    }
  }
  for (const auto& [name, what] : outcome)
    if (what == Restored::changed) saved.erase(name);
  Names names = names_with(saved);
  agree(outcome);
  put_in_place_of_old(saved, std::move(names));
  return outcome;
}

}  // namespace prefrontal::pulse
