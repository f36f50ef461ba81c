// What is known of one peer, from each of its messages as it comes: counts, sizes, tempo.
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/cortex/thresholds.hpp"
#include "csrc/simd/room.hpp"

namespace prefrontal::cortex {

inline constexpr double kDayS = 86'400.0;
inline constexpr double kIntervalWeight = 0.25;  // of the newest interval in the mean

// The interaction of the latest message is open: its size grows with the effort told for it. The
// sizes below are those of the closed ones.
struct PeerStatistics {
  std::uint64_t interactions = 0;
  std::uint64_t outgoing = 0;
  std::uint64_t good = 0;
  std::uint64_t bad = 0;
  std::int64_t streak = 0;  // outcomes alike in a row: good ones above 0, bad ones below
  double first_s = kNever;
  double last_s = kNever;
  double interval_s = 0.0;    // exponentially weighted mean, from the second interaction on
  double size_mean = 0.0;     // Welford: mean += (x - mean) / n
  double size_squares = 0.0;  //          squares += (x - old mean)(x - new mean)
  double size_log = 0.0;      // mean of ln(1 + x)
  double size_max = 0.0;
  double size_open = 0.0;
  std::vector<double> visits;  // when the latest ones of the run began, as many as tempo needs
  bool met = false;            // has written, or is known from before
  bool jumped = false;         // the open interaction has been reported
  bool hurried = false;        // the run is faster than allowed
  bool just_hurried = false;   // since the latest message

  // Memory for one more visit.
  void make_room() { simd::make_room(1, visits); }
  // Each tells how many signs of farming it has just made out.
  unsigned message(double time_s, double size, const Thresholds& thresholds);
  unsigned effort(double size, const Thresholds& thresholds);
  // True when the latest message was a sign of haste and no longer is.
  bool outcome(bool was_good);

  std::uint64_t closed() const { return interactions > 0 ? interactions - 1 : 0; }
  double size_usual() const;      // the geometric mean of 1 + x, less 1
  double size_deviation() const;  // of the sample; 0 below two closed interactions
  double per_day() const;         // (n - 1) / span, the span being a second at least; 0 below two

 private:
  void close();
  bool jumps(const Thresholds& thresholds);
  bool hurries(double time_s, bool new_visit, const Thresholds& thresholds);
};

}  // namespace prefrontal::cortex
