#include "csrc/control/world/grid_world_config.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace prefrontal::control {
namespace {

void between(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument(std::string(name) + " must be between " + std::to_string(least) +
                              " and " + std::to_string(most) + ", got " + std::to_string(value));
}

void within(const char* name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  std::ostringstream text;
  text << name << " must be between " << least << " and " << most << ", got " << value;
  throw std::invalid_argument(text.str());
}

}  // namespace

void check(const GridWorldConfig& c) {
  between("size", c.size, 3, kLargestSize);
  const std::int64_t room = (c.size - 2) * (c.size - 2) - 1;  // one cell is the agent's
  between("num_hazards", c.num_hazards, 0, room);
  between("num_resources", c.num_resources, 0, room - c.num_hazards);
  between("max_steps", c.max_steps, 1, kMostSteps);
  between("drift_interval", c.drift_interval, 1, kMostSteps);
  within("drift_prob", c.drift_prob, 0, 1);
  within("decay", c.decay, 0, 1000);
  within("hazard_harm", c.hazard_harm, 0, 1000);
  within("contaminated_harm", c.contaminated_harm, 0, 1000);
  within("resource_benefit", c.resource_benefit, 0, 1000);
  within("harm_scale", c.harm_scale, 0, 1000);
  within("benefit_scale", c.benefit_scale, 0, 1000);
  within("approach_threshold", c.approach_threshold, 0, 1e6);
  within("restoration", c.restoration, 0, 1000);
  within("energy_decay", c.energy_decay, 0, 1);
  within("contamination_spread", c.contamination_spread, 0, 1000);
  within("contamination_threshold", c.contamination_threshold, 1e-3, 1e6);
  within("exposure_alpha", c.exposure_alpha, 0, 1);
  within("harm_ema_alpha", c.harm_ema_alpha, 0, 1);
}

}  // namespace prefrontal::control
