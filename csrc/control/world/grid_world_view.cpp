// What the agent sees of its world, and the names of what happens in it.
#include <algorithm>
#include <cstdint>

#include "csrc/control/world/grid_world.hpp"

namespace prefrontal::control {
namespace {

constexpr double kTiny = 1e-6;

float single(double value) { return static_cast<float>(value); }

}  // namespace

std::string_view name_of(Transition transition) {
  constexpr std::string_view names[] = {"none",     "env_caused_hazard", "agent_caused_hazard",
                                        "resource", "hazard_approach",   "benefit_approach"};
  return names[static_cast<int>(transition)];
}

std::string_view name_of(DoneCause cause) {
  constexpr std::string_view names[] = {"", "health", "steps"};
  return names[static_cast<int>(cause)];
}

void GridWorld::observe(const ObservationView& out) const {
  float* body = out.body;
  *body++ = single(static_cast<double>(agent_ / size_) / size_);
  *body++ = single(static_cast<double>(agent_ % size_) / size_);
  *body++ = single(health_);
  *body++ = single(energy_);
  *body++ = single(footprint_[agent_] / std::max(1.0, most_footprint_));
  std::fill_n(body, kStay, 0.0f);
  if (last_action_ < kStay)
    body[last_action_] = 1.0f;
  else if (config_.profile == Profile::upstream)
    body[0] = 1.0f;  // stay reads as up
  body += kStay;
  *body++ = single(static_cast<double>(steps_) / static_cast<double>(config_.max_steps));
  *body++ = single(harm_exposure_);
  *body++ = single(benefit_exposure_);

  std::fill_n(out.world, kWorld, 0.0f);
  float* entities = out.world;
  float* traces = out.world + kSeen * kEntities;
  float* hazards = traces + kSeen;
  float* resources = hazards + kSeen;
  const double full = config_.contamination_threshold + kTiny;
  const double most_hazard = hazard_field_.largest + kTiny;
  const double most_resource = resource_field_.largest + kTiny;
  const bool as_shares = config_.profile == Profile::upstream;  // as in the reference
  const int row = agent_ / size_, column = agent_ % size_;
  int seen = 0;
  for (int i = row - kReach; i <= row + kReach; ++i) {
    for (int j = column - kReach; j <= column + kReach; ++j, ++seen, entities += kEntities) {
      const bool inside = i >= 0 && i < size_ && j >= 0 && j < size_;
      if (!inside) {
        entities[static_cast<int>(Entity::wall)] = 1.0f;
        out.harm[seen] = out.harm[kSeen + seen] = 0.0f;
        continue;
      }
      const int cell = i * size_ + j;
      const double hazard = hazard_field_.values[cell], resource = resource_field_.values[cell];
      entities[static_cast<int>(grid_[cell])] = 1.0f;
      traces[seen] = single(contamination_[cell] / full);
      hazards[seen] = single(hazard / most_hazard);
      resources[seen] = single(resource / most_resource);
      out.harm[seen] = as_shares ? hazards[seen] : single(hazard);
      out.harm[kSeen + seen] = as_shares ? resources[seen] : single(resource);
    }
  }
  out.harm[2 * kSeen] = single(std::min(1.0, harm_exposure_));
  std::fill_n(out.harm_a, kSeen, single(harm_ema_));
  std::fill_n(out.harm_a + kSeen, kSeen, single(benefit_ema_));
}

}  // namespace prefrontal::control
