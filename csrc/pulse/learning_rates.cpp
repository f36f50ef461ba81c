#include "csrc/pulse/learning_rates.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace prefrontal::pulse {
namespace {

constexpr float kAnother = 0.208F;  // one label about something else is 0.6 of it

constexpr LearningRates version_1() {
  LearningRates rates;
  rates.kinds.fill({.seed_energy = 1.0F});
  return rates;
}

// Found on pip and aiohttp, checked on pytest and astropy (benchmarks/README.md), while what is
// told about app.log leaves invoice.pdf alone (test_blame.py).
constexpr LearningRates version_2() {
  LearningRates rates{.slow = 0.65F,
                      .fast = 0.0335F,
                      .most = 5.0F,
                      .telling = 0.15F,
                      .enough = 0.125F,
                      .evidence = 0.13F,
                      .error = 0.016F,
                      .least = 0.3F,
                      .kinds = {}};
  auto set = [&rates](std::initializer_list<Kind> kinds, KindRate rate) {
    for (Kind kind : kinds) rates.kinds[static_cast<std::size_t>(kind)] = rate;
  };
  using enum Kind;
  // What tells one window from another: {slow, fast, surprise, seed_energy}.
  set({name, attribute}, {0.8F, 0.6F, 0.0F, 1.0F});
  set({token}, {0.9F, 0.7F, 0.0F, 1.0F});
  set({word}, {1.9F, 2.3F, 0.0F, 1.0F});
  set({words}, {1.9F, 0.16F, 0.0F, 1.0F});
  set({extension, only_extension, extensions}, {1.0F, 1.1F, 0.0F, 1.0F});
  // What many windows share: {slow, fast, surprise}.
  set({actor}, {4.0F, 1.6F, kAnother});
  set({directory}, {0.46F, 2.9F, kAnother});
  set({only_directory, directories}, {0.85F, 1.5F, kAnother});
  set({source, delta, count, size, magnitude, span, gap}, {1.6F, 1.9F, kAnother});
  set({file_kinds}, {1.3F, 7.0F, kAnother});
  set({hour, weekday, idle}, {0.15F, 0.63F, kAnother});
  set({rule}, {0.5F, 0.5F, kAnother});
  set({bias}, {0.44F, 1.6F, kAnother});
  return rates;
}

constexpr LearningRates kVersion1 = version_1();
constexpr LearningRates kVersion2 = version_2();

}  // namespace

const LearningRates& learning_rates(int version) {
  if (version == 1) return kVersion1;
  if (version == 2) return kVersion2;
  throw std::invalid_argument("version must be 1 or 2, got " + std::to_string(version));
}

}  // namespace prefrontal::pulse
