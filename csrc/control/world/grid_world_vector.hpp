// Many worlds of one kind, stepped together; their observations go into the caller's buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/control/world/grid_world.hpp"

namespace prefrontal::control {

// When an episode that has ended begins anew: in the next step (whose action is ignored), at the
// end of the same step, or not by itself.
enum class Autoreset : std::uint8_t { next_step, same_step, disabled };

// A row for each world. Observations whose body is null are not written.
struct StepView {
  ObservationView observation{};
  ObservationView last{};     // same_step: the rows of ended worlds, before their reset
  double* rewards = nullptr;  // these and the rest tell of the step, not of a reset after it
  bool* terminated = nullptr;
  bool* truncated = nullptr;
  std::uint8_t* transitions = nullptr;
  std::uint8_t* causes = nullptr;
  std::int64_t* steps = nullptr;
};

class GridWorlds {
 public:
  GridWorlds(const GridWorldConfig& config, std::size_t count, Autoreset mode);

  std::size_t size() const { return worlds_.size(); }
  GridWorld& operator[](std::size_t at) { return worlds_[at]; }
  void set_random(std::size_t at, BitGenerator* bits) { randoms_[at] = Random(bits); }
  // All worlds, or those of the mask.
  void reset(const bool* mask);
  // Throws std::invalid_argument for an action out of range and, when resets are the caller's, for
  // a world that waits for one; then no world has moved.
  void step(const std::int64_t* actions, const StepView& out);
  void observe(const ObservationView& out) const;

 private:
  void check(const std::int64_t* actions) const;
  void step_one(std::size_t at, int action, const StepView& out);

  Autoreset mode_;
  std::vector<GridWorld> worlds_;
  std::vector<Random> randoms_;
};

}  // namespace prefrontal::control
