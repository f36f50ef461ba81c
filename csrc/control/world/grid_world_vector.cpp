#include "csrc/control/world/grid_world_vector.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace prefrontal::control {
namespace {

ObservationView row(const ObservationView& first, std::size_t at) {
  return {first.body + at * kBody, first.world + at * kWorld, first.harm + at * kHarm,
          first.harm_a + at * kHarmEma};
}

[[noreturn]] void refuse(std::string what, std::size_t at, const std::string& rule) {
  throw std::invalid_argument(what.append("[").append(std::to_string(at)) + "] must " + rule);
}

}  // namespace

GridWorlds::GridWorlds(const GridWorldConfig& config, std::size_t count, Autoreset mode)
    : mode_(mode), worlds_(count, GridWorld(config)), randoms_(count) {}

void GridWorlds::reset(const bool* mask) {
  for (std::size_t at = 0; at < size(); ++at)
    if (mask == nullptr || mask[at]) worlds_[at].reset(randoms_[at]);
}

void GridWorlds::check(const std::int64_t* actions) const {
  for (std::size_t at = 0; at < size(); ++at) {
    if (actions[at] < 0 || actions[at] >= kActions)
      refuse("actions", at, "be between 0 and 4, got " + std::to_string(actions[at]));
    if (mode_ == Autoreset::disabled && !worlds_[at].running())
      refuse("world", at, "be reset, got an episode that has ended");
  }
}

void GridWorlds::step(const std::int64_t* actions, const StepView& out) {
  check(actions);
  for (std::size_t at = 0; at < size(); ++at) step_one(at, static_cast<int>(actions[at]), out);
}

void GridWorlds::step_one(std::size_t at, int action, const StepView& out) {
  GridWorld& world = worlds_[at];
  Outcome outcome;
  if (world.running())
    outcome = world.step(action, randoms_[at]);
  else
    world.reset(randoms_[at]);
  out.steps[at] = world.steps();
  if (mode_ == Autoreset::same_step && !world.running()) {
    if (out.last.body != nullptr) world.observe(row(out.last, at));
    world.reset(randoms_[at]);
  }
  if (out.observation.body != nullptr) world.observe(row(out.observation, at));
  out.rewards[at] = outcome.harm_signal;
  out.terminated[at] = outcome.done == DoneCause::health;
  out.truncated[at] = outcome.done == DoneCause::steps;
  out.transitions[at] = static_cast<std::uint8_t>(outcome.transition);
  out.causes[at] = static_cast<std::uint8_t>(outcome.done);
}

void GridWorlds::observe(const ObservationView& out) const {
  for (std::size_t at = 0; at < size(); ++at) worlds_[at].observe(row(out, at));
}

}  // namespace prefrontal::control
