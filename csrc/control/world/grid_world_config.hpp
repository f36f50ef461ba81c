// What a grid world is made of: its size, its sources, what each event costs, and its profile.
#pragma once

#include <cstdint>

namespace prefrontal::control {

inline constexpr std::int64_t kLargestSize = 128;
inline constexpr std::int64_t kMostSteps = 1'000'000;

// upstream: the quirks of the reference are kept. fixed: a cell stays what it is while the agent
// stands on it, and only arriving at a cell contaminates it.
enum class Profile : std::uint8_t { upstream, fixed };

struct GridWorldConfig {
  std::int64_t size = 10;  // rows and columns, the border of walls included
  std::int64_t num_hazards = 3;
  std::int64_t num_resources = 5;
  std::int64_t max_steps = 500;
  std::int64_t drift_interval = 5;
  double drift_prob = 0.3;
  double decay = 0.5;  // of the fields: 1 / (1 + decay * Manhattan distance)
  double hazard_harm = 0.5;
  double contaminated_harm = 0.4;
  double resource_benefit = 0.3;
  double harm_scale = 0.05;  // of the hazard field
  double benefit_scale = 0.03;
  double approach_threshold = 0.15;
  double restoration = 0.5;  // of health and energy, a part of resource_benefit
  double energy_decay = 0.01;
  double contamination_spread = 0.5;
  double contamination_threshold = 2.0;
  double exposure_alpha = 0.1;
  double harm_ema_alpha = 0.05;
  bool resource_respawn_on_consume = false;
  bool persist_harm_ema = true;
  Profile profile = Profile::upstream;

  bool operator==(const GridWorldConfig&) const = default;
};

// Throws std::invalid_argument naming the first value that is out of its range.
void check(const GridWorldConfig& config);

}  // namespace prefrontal::control
