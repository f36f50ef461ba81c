#include "csrc/control/world/grid_world.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace prefrontal::control {
namespace {

double toward(double value, double aim, double alpha) {
  return (1.0 - alpha) * value + alpha * aim;
}

}  // namespace

GridWorld::GridWorld(const GridWorldConfig& config)
    : config_((check(config), config)),
      size_(static_cast<int>(config.size)),
      moves_{-size_, size_, -1, 1, 0} {
  for (int distance = 0; distance < 2 * size_; ++distance)
    by_distance_.push_back(1.0 / (1.0 + config.decay * distance));
  clear();
}

void GridWorld::clear() {
  const std::size_t cells = static_cast<std::size_t>(size_) * size_;
  grid_.assign(cells, Entity::empty);
  for (int i = 0; i < size_; ++i)
    for (const int cell : {i, size_ * (size_ - 1) + i, size_ * i, size_ * i + size_ - 1})
      grid_[cell] = Entity::wall;
  contamination_.assign(cells, 0.0);
  footprint_.assign(cells, 0.0);
  most_footprint_ = 0.0;
  health_ = energy_ = 1.0;
  harm_exposure_ = benefit_exposure_ = 0.0;
  if (!config_.persist_harm_ema) harm_ema_ = benefit_ema_ = 0.0;
  last_action_ = kStay;
  steps_ = 0;
  spread(hazards_, hazard_field_);
  spread(resources_, resource_field_);
}

void GridWorld::reset(Random& random) {
  spare_.clear();
  for (int row = 1; row < size_ - 1; ++row)
    for (int column = 1; column < size_ - 1; ++column) spare_.push_back(row * size_ + column);
  random.shuffle(std::span(spare_));
  auto next = spare_.rbegin();
  const int agent = *next++;
  hazards_.assign(next, next + config_.num_hazards);
  next += config_.num_hazards;
  resources_.assign(next, next + config_.num_resources);
  place(agent);
}

void GridWorld::reset_to(int agent, std::span<const int> hazards, std::span<const int> resources) {
  const auto few = [](const char* what, std::size_t count, std::int64_t most) {
    if (count <= static_cast<std::size_t>(most)) return;
    throw std::invalid_argument(std::string(what) + " must be at most num_" + what + " = " +
                                std::to_string(most) + " cells, got " + std::to_string(count));
  };
  few("hazards", hazards.size(), config_.num_hazards);
  few("resources", resources.size(), config_.num_resources);
  std::vector<bool> taken(grid_.size(), false);
  check_cell("agent", agent, taken);
  for (const int cell : hazards) check_cell("hazards", cell, taken);
  for (const int cell : resources) check_cell("resources", cell, taken);
  hazards_.assign(hazards.begin(), hazards.end());
  resources_.assign(resources.begin(), resources.end());
  place(agent);
}

void GridWorld::check_cell(const char* what, int cell, std::vector<bool>& taken) const {
  const int row = cell / size_, column = cell % size_;
  const std::string rule = std::string(what) + " must ";
  const std::string got = ", got (" + std::to_string(row) + ", " + std::to_string(column) + ")";
  if (row < 1 || row > size_ - 2 || column < 1 || column > size_ - 2)
    throw std::invalid_argument(rule + "lie inside the walls" + got);
  if (taken[cell]) throw std::invalid_argument(rule + "be on a cell of its own" + got);
  taken[cell] = true;
}

void GridWorld::place(int agent) {
  clear();
  agent_ = agent;
  grid_[agent] = Entity::agent;
  for (const int cell : hazards_) grid_[cell] = Entity::hazard;
  for (const int cell : resources_) grid_[cell] = Entity::resource;
  running_ = true;
}

void GridWorld::set_harm_ema(double value) {
  if (!(value >= 0.0 && value <= 1.0))
    throw std::invalid_argument("harm_ema must be between 0 and 1, got " + std::to_string(value));
  harm_ema_ = benefit_ema_ = value;
}

// --- a step -------------------------------------------------------------------------------------

Outcome GridWorld::step(int action, Random& random) {
  last_action_ = action;
  Outcome outcome;
  const int target = agent_ + moves_[action];
  if (grid_[target] != Entity::wall) outcome = enter(target, random);
  energy_ = std::max(0.0, energy_ - config_.energy_decay);
  remember(outcome.harm_signal);
  if (steps_ > 0 && steps_ % config_.drift_interval == 0) drift(random);
  ++steps_;
  if (steps_ >= config_.max_steps) outcome.done = DoneCause::steps;
  if (health_ <= 0.0) outcome.done = DoneCause::health;
  running_ = outcome.done == DoneCause::none;
  return outcome;
}

// The cell that the agent leaves is settled before the one it enters is read: they may be the same.
Outcome GridWorld::enter(int target, Random& random) {
  const bool arrives = target != agent_;
  grid_[agent_] = ground(agent_);
  const Outcome outcome = meet(target, random);
  agent_ = target;
  grid_[target] = Entity::agent;
  footprint_[target] += 1.0;
  most_footprint_ = std::max(most_footprint_, footprint_[target]);
  if (arrives || config_.profile == Profile::upstream)
    contamination_[target] += config_.contamination_spread;
  return outcome;
}

// What is left of a cell without the agent. Upstream forgets a hazard that it stood on.
Entity GridWorld::ground(int cell) const {
  if (config_.profile == Profile::fixed && std::ranges::find(hazards_, cell) != hazards_.end())
    return Entity::hazard;
  return contamination_[cell] >= config_.contamination_threshold ? Entity::contaminated
                                                                 : Entity::empty;
}

Outcome GridWorld::meet(int target, Random& random) {
  const double hazard = hazard_field_.values[target], resource = resource_field_.values[target];
  double harm = 0.0;
  Transition transition = Transition::none;
  if (grid_[target] == Entity::hazard) {
    harm = config_.hazard_harm + config_.harm_scale * hazard;
    transition = Transition::env_caused_hazard;
  } else if (grid_[target] == Entity::contaminated) {
    harm = config_.contaminated_harm;
    transition = Transition::agent_caused_hazard;
  } else if (grid_[target] == Entity::resource) {
    consume(target, random);
    return {config_.resource_benefit + config_.benefit_scale * resource, Transition::resource};
  } else if (hazard >= config_.approach_threshold) {
    harm = config_.harm_scale * hazard;
    transition = Transition::hazard_approach;
  } else if (resource >= config_.approach_threshold) {
    return {config_.benefit_scale * resource, Transition::benefit_approach};
  }
  health_ = std::max(0.0, health_ - harm);
  return {-harm, transition};
}

void GridWorld::consume(int cell, Random& random) {
  const double restored = config_.resource_benefit * config_.restoration;
  health_ = std::min(1.0, health_ + restored);
  energy_ = std::min(1.0, energy_ + restored);
  std::erase(resources_, cell);
  if (config_.resource_respawn_on_consume) {
    spare_.clear();  // `cell` still reads as a resource: the agent goes there
    for (std::size_t at = 0; at < grid_.size(); ++at)
      if (grid_[at] == Entity::empty) spare_.push_back(static_cast<int>(at));
    if (!spare_.empty()) {
      const int place = spare_[random.below(static_cast<std::uint32_t>(spare_.size()))];
      grid_[place] = Entity::resource;
      resources_.push_back(place);
    }
  }
  spread(resources_, resource_field_);
}

void GridWorld::remember(double harm_signal) {
  const double alpha = config_.exposure_alpha, slow = config_.harm_ema_alpha;
  harm_exposure_ = toward(harm_exposure_, std::max(0.0, -harm_signal), alpha);
  benefit_exposure_ = toward(benefit_exposure_, std::max(0.0, harm_signal), alpha);
  harm_ema_ = toward(harm_ema_, std::min(1.0, hazard_field_.values[agent_]), slow);
  benefit_ema_ = toward(benefit_ema_, std::min(1.0, resource_field_.values[agent_]), slow);
}

// --- hazards on the move ------------------------------------------------------------------------

void GridWorld::drift(Random& random) {
  bool moved = false;
  for (int& hazard : hazards_)
    if (random.uniform() < config_.drift_prob) moved |= drift_one(hazard, random);
  if (moved) spread(hazards_, hazard_field_);
}

bool GridWorld::drift_one(int& hazard, Random& random) {
  int open[kStay];
  std::uint32_t count = 0;
  for (int action = 0; action < kStay; ++action)
    if (grid_[hazard + moves_[action]] == Entity::empty) open[count++] = hazard + moves_[action];
  if (count == 0) return false;
  const int from = std::exchange(hazard, open[random.below(count)]);
  if (grid_[from] == Entity::hazard)  // not where the agent stands, and not of a ghost
    grid_[from] = config_.profile == Profile::fixed ? ground(from) : Entity::empty;
  grid_[hazard] = Entity::hazard;
  return true;
}

void GridWorld::spread(std::span<const int> sources, Field& field) const {
  field.values.assign(grid_.size(), 0.0);
  for (const int source : sources) {
    const int row = source / size_, column = source % size_;
    double* cell = field.values.data();
    for (int i = 0; i < size_; ++i) {
      const int rows = std::abs(i - row);
      for (int j = 0; j < size_; ++j) *cell++ += by_distance_[rows + std::abs(j - column)];
    }
  }
  field.largest = *std::ranges::max_element(field.values);
}

}  // namespace prefrontal::control
