#include "csrc/pulse/learning_rates.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace prefrontal::pulse {
namespace {

constexpr LearningRates version_1() {
  LearningRates rates;
  rates.kinds.fill({.seed_energy = 1.0F});
  return rates;
}

// Found on the four open histories of benchmarks/README.md, each as good as or better than with
// version 1, while what is told about app.log leaves invoice.pdf alone (test_blame.py).
constexpr LearningRates version_2() {
  LearningRates rates{.slow = 0.65F, .fast = 0.035F, .most = 6.0F, .kinds = {}};
  auto set = [&rates](std::initializer_list<Kind> kinds, KindRate rate) {
    for (Kind kind : kinds) rates.kinds[static_cast<std::size_t>(kind)] = rate;
  };
  using enum Kind;
  // What tells one window from another: {slow, fast, surprise, seed_energy}.
  set({name, attribute}, {0.7F, 0.2F, 0.0F, 1.0F});
  set({token}, {0.7F, 1.2F, 0.0F, 1.0F});
  set({word}, {1.4F, 1.0F, 0.0F, 1.0F});
  set({words}, {1.4F, 0.2F, 0.0F, 1.0F});
  set({extension, only_extension, extensions}, {2.4F, 1.0F, 0.0F, 1.0F});
  // What many windows share: {slow, fast, surprise}.
  set({actor}, {4.0F, 1.0F, 0.7F});
  set({directory}, {0.5F, 2.0F, 3.0F});
  set({only_directory, directories}, {0.6F, 1.0F, 2.6F});
  set({source, delta, count, file_kinds, size, magnitude, span, gap}, {0.8F, 1.5F, 2.6F});
  set({hour, weekday, idle}, {0.7F, 0.7F, 2.0F});
  set({rule}, {0.5F, 0.5F, 4.0F});
  set({bias}, {0.5F, 1.0F, 4.0F});
  return rates;
}

// Found on drawn log lines, days and the four histories of benchmarks/recall.md.
constexpr LearningRates version_3() {
  LearningRates rates = version_2();
  rates.steady = true;
  auto set = [&rates](std::initializer_list<Kind> kinds, float variance) {
    for (Kind kind : kinds) rates.kinds[static_cast<std::size_t>(kind)].variance = variance;
  };
  using enum Kind;
  set({name, attribute, token, extension, only_extension, extensions}, 0.25F);
  set({word, words}, 0.14F);
  set({actor}, 0.4F);
  set({directory, only_directory, directories, source, delta, count, file_kinds}, 0.07F);
  set({size, magnitude, span, gap, hour, weekday, idle, rule}, 0.07F);
  set({bias}, 0.05F);
  return rates;
}

constexpr LearningRates kVersion1 = version_1();
constexpr LearningRates kVersion2 = version_2();
constexpr LearningRates kVersion3 = version_3();

}  // namespace

const LearningRates& learning_rates(int version) {
  if (version == 1) return kVersion1;
  if (version == 2) return kVersion2;
  if (version == 3) return kVersion3;
  throw std::invalid_argument("version must be 1, 2 or 3, got " + std::to_string(version));
}

}  // namespace prefrontal::pulse
