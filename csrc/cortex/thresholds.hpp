// What decides when an agent reflects: one value a trigger, and the bounds of what is kept.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace prefrontal::cortex {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();
inline constexpr double kLargest = 1e15;  // of a time or a size: whole seconds stay exact
inline constexpr std::uint32_t kMostVisits = 32;

// What the size of an interaction is held against: the largest of those before, or their usual one.
enum class JumpFrom : std::uint8_t { largest, usual };

struct Thresholds {
  std::optional<double> period_s = 1800.0;  // nothing: no timer
  std::optional<std::uint64_t> count = 5;   // nothing: interactions are not counted out
  bool count_outgoing = false;
  bool new_peer = false;
  bool promise_timeout = false;
  bool farming = false;
  double retry_s = 60.0;
  double retry_limit_s = 1800.0;
  std::uint64_t farming_easy_count = 5;
  JumpFrom farming_jump_from = JumpFrom::largest;
  double farming_jump_factor = 4.0;
  double farming_jump_min_size = 200.0;
  std::uint64_t farming_tempo_count = 5;
  double farming_tempo_per_day = 10.0;
  double farming_tempo_gap_s = 600.0;
  std::uint64_t max_peers = 10'000;
  std::uint64_t max_commitments = 256;

  bool operator==(const Thresholds&) const = default;
};

// Throws std::invalid_argument naming the first value that is out of its range.
void check(const Thresholds& thresholds);

// A time or a size that can be computed with. Throws std::invalid_argument naming it.
double checked_time(const char* name, double value);
double checked_size(const char* name, double value);

// The number as Python writes it: -1.0, 0.5, nan.
std::string spoken(double value);

}  // namespace prefrontal::cortex
