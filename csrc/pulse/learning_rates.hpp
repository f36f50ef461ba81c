// How far a label moves the weight of a feature, by the feature's kind.
//
// A label is explained first by what is specific: a name, a word, an extension have their full step
// from the start. What a window shares with most others (folder, source, hour, bias) moves by
//
//   share = min(1, fresh + least) / (1 + q^-16),  q = (energy - first energy) / surprise
//
// of its step. `fresh`, 0..1, says how much of what is specific to the window no label told of yet.
// The energy of what is shared grows by evidence * silent and a small part of the squared error;
// `silent` says how much of what is specific tells nothing so far: it is fresh, or labels about it
// disagreed, and its weight is next to none. So a label about something else counts, one more about
// the same file hardly does: neither one label nor fifty about one file move the folder, and the
// second about another file frees it. It is a prior on weights: the larger `surprise`, the less a
// kind is expected to generalise alone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "csrc/pulse/key.hpp"

namespace prefrontal::pulse {

inline constexpr float kFirstEnergy = 0.1F;  // of a feature before its first label

struct KindRate {
  float slow = 1.0F;  // of the step of a specific feature
  float fast = 1.0F;
  float surprise = 0.0F;             // energy until half a step is made; 0: specific
  float seed_energy = kFirstEnergy;  // of a feature the fingerprint speaks of: larger is slower

  bool specific() const { return surprise == 0.0F; }
  // Of what is shared.
  float share(float energy) const {
    float q = std::min(10.0F, (energy - kFirstEnergy) / surprise);  // the share is 1 long before
    for (int squaring = 0; squaring < 4; ++squaring) q *= q;
    return q / (1.0F + q);
  }
};

struct LearningRates {
  float slow = 0.2F;  // step of the slow learner, divided by the root of the energy
  float fast = 0.1F;
  // Logit that a unit of error moves at most in full; of a window of many features, whose steps
  // add up to more, it moves sqrt(most * sum).
  float most = std::numeric_limits<float>::infinity();
  float telling = 1.0F;   // weight from which a specific feature tells all it has to
  float enough = 1.0F;    // share of the specific features from which `fresh` and `silent` are 1
  float evidence = 0.0F;  // of a label whose window was silent
  float error = 0.0F;     // part of the squared error that is evidence, too
  float least = 0.0F;     // of the step of what is shared, where nothing is fresh
  std::array<KindRate, kKinds> kinds;

  const KindRate& of(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  float part(float sum) const { return sum > most ? std::sqrt(most / sum) : 1.0F; }
  // How little a specific feature of this weight tells, 0..1.
  float silence(float weight) const { return std::max(0.0F, 1.0F - std::fabs(weight) / telling); }
  // `fresh` or `silent` of a window, from its sum over the specific features.
  float portion(float sum, std::size_t specific) const {
    if (specific == 0) return 0.0F;
    return std::min(1.0F, sum / (enough * static_cast<float>(specific)));
  }
};

// Version 1: every kind alike, as until 2026. Version 2: the prior above.
inline constexpr int kLearningVersion = 2;
const LearningRates& learning_rates(int version);  // throws std::invalid_argument for others

}  // namespace prefrontal::pulse
