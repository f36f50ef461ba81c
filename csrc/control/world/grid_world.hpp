// A grid with hazards, resources and the traces the agent leaves: CausalGridWorldV2.
//
// field(cell) = sum over the sources of 1 / (1 + decay * Manhattan distance). Cells are numbered by
// rows. All sums are of doubles in a fixed order; observations are their float32.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "csrc/control/world/grid_world_config.hpp"
#include "csrc/control/world/grid_world_random.hpp"

namespace prefrontal::control {

enum class Entity : std::uint8_t { empty, wall, resource, hazard, contaminated, agent, waypoint };
enum class Transition : std::uint8_t {
  none,
  env_caused_hazard,
  agent_caused_hazard,
  resource,
  hazard_approach,
  benefit_approach,
};
enum class DoneCause : std::uint8_t { none, health, steps };

std::string_view name_of(Transition transition);
std::string_view name_of(DoneCause cause);  // "" for none

inline constexpr int kActions = 5;  // up, down, left, right, stay
inline constexpr int kStay = 4;
inline constexpr int kEntities = 7;
inline constexpr int kReach = 2;  // cells seen on each side of the agent
inline constexpr int kSeen = (2 * kReach + 1) * (2 * kReach + 1);
inline constexpr int kBody = 12;
inline constexpr int kWorld = kSeen * (kEntities + 3);
inline constexpr int kHarm = 2 * kSeen + 1;
inline constexpr int kHarmEma = 2 * kSeen;

// Where an observation goes: kBody, kWorld, kHarm and kHarmEma numbers.
struct ObservationView {
  float* body;
  float* world;
  float* harm;
  float* harm_a;
};

struct Outcome {
  double harm_signal = 0.0;  // below 0: harm, above 0: benefit
  Transition transition = Transition::none;
  DoneCause done = DoneCause::none;
};

// One world. Before the first reset, and after an episode has ended, `running()` is false and it is
// the caller's to reset it.
class GridWorld {
 public:
  explicit GridWorld(const GridWorldConfig& config);  // throws std::invalid_argument

  // Interior cells by rows, shuffled, taken from the end: agent, hazards, resources.
  void reset(Random& random);
  // A layout as told. Throws std::invalid_argument; then nothing has changed.
  void reset_to(int agent, std::span<const int> hazards, std::span<const int> resources);
  void set_harm_ema(double value);  // of both halves; throws std::invalid_argument

  Outcome step(int action, Random& random);  // action: 0 .. kActions - 1
  void observe(const ObservationView& out) const;

  const GridWorldConfig& config() const { return config_; }
  bool running() const { return running_; }
  int agent() const { return agent_; }
  std::span<const int> hazards() const { return hazards_; }
  std::span<const int> resources() const { return resources_; }
  std::span<const Entity> grid() const { return grid_; }
  std::span<const double> hazard_field() const { return hazard_field_.values; }
  std::span<const double> resource_field() const { return resource_field_.values; }
  std::span<const double> contamination() const { return contamination_; }
  std::span<const double> footprint() const { return footprint_; }
  double health() const { return health_; }
  double energy() const { return energy_; }
  double harm_exposure() const { return harm_exposure_; }
  double benefit_exposure() const { return benefit_exposure_; }
  int last_action() const { return last_action_; }
  std::int64_t steps() const { return steps_; }

 private:
  struct Field {
    std::vector<double> values;
    double largest = 0.0;
  };

  void check_cell(const char* what, int cell, std::vector<bool>& taken) const;
  void clear();
  void place(int agent);
  Outcome enter(int target, Random& random);
  Outcome meet(int target, Random& random);
  Entity ground(int cell) const;
  void consume(int cell, Random& random);
  void remember(double harm_signal);
  void drift(Random& random);
  bool drift_one(int& hazard, Random& random);
  void spread(std::span<const int> sources, Field& field) const;

  GridWorldConfig config_;
  int size_;
  int moves_[kActions];
  std::vector<double> by_distance_;  // 1 / (1 + decay * distance)
  std::vector<int> spare_;           // cells, while a choice among them is made

  std::vector<Entity> grid_;
  std::vector<double> contamination_;
  std::vector<double> footprint_;
  double most_footprint_ = 0.0;
  Field hazard_field_;
  Field resource_field_;
  std::vector<int> hazards_;
  std::vector<int> resources_;
  int agent_ = 0;
  double health_ = 1.0;
  double energy_ = 1.0;
  double harm_exposure_ = 0.0;
  double benefit_exposure_ = 0.0;
  double harm_ema_ = 0.0;  // each stands for 25 equal numbers of harm_a
  double benefit_ema_ = 0.0;
  int last_action_ = kStay;
  std::int64_t steps_ = 0;
  bool running_ = false;
};

}  // namespace prefrontal::control
