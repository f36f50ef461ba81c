// How far a label moves the weight of a feature, by the feature's kind.
//
// A label is explained first by what is specific: a name, a word, an extension have their full step
// from the start. What a window shares with most others (folder, source, hour, bias) moves by
//
//   share = 1 / (1 + q^-4),  q = energy / surprise
//
// of its step, energy being the squared errors that the feature has been through. Many labels about
// one file leave little error after the first, so what it shares stays where it is; labels that no
// specific feature explains, since each is about something else, add up to `surprise` and free it.
// It is a prior on weights: the larger `surprise`, the less a kind is expected to generalise alone.
//
// A third learner, the steady one, moves by share v / (1 + v energy), v the variance of a weight
// before any label: in proportion to the evidence, so its scores wander less.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "csrc/pulse/key.hpp"

namespace prefrontal::pulse {

inline constexpr float kFirstEnergy = 0.1F;  // of a feature before its first label

struct KindRate {
  float slow = 1.0F;  // of the step of a specific feature
  float fast = 1.0F;
  float surprise = 0.0F;             // squared errors until half a step is made; 0: from the start
  float seed_energy = kFirstEnergy;  // of a feature the fingerprint speaks of: larger is slower
  float variance = 0.0F;             // of a weight before any label

  float share(float energy) const {
    if (surprise == 0.0F) return 1.0F;
    const float q = energy / surprise;
    return 1.0F / (1.0F + 1.0F / (q * q * q * q));
  }
};

struct LearningRates {
  float slow = 0.2F;  // step of the slow learner, divided by the root of the energy
  float fast = 0.1F;
  // Logit that a unit of error moves at most in full; of a window of many features, whose steps
  // add up to more, it moves sqrt(most * sum).
  float most = std::numeric_limits<float>::infinity();
  std::array<KindRate, kKinds> kinds;
  bool steady = false;  // whether there is a steady learner

  const KindRate& of(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  float part(float sum) const { return sum > most ? std::sqrt(most / sum) : 1.0F; }
};

// Version 1: every kind alike, as until 2026. Version 2: the prior above. Version 3: and the steady
// learner.
inline constexpr int kLearningVersion = 3;
const LearningRates& learning_rates(int version);  // throws std::invalid_argument for others

}  // namespace prefrontal::pulse
