#include "csrc/cortex/peer_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "csrc/simd/log.hpp"

namespace prefrontal::cortex {

void PeerStatistics::close() {
  const double from_old = size_open - size_mean;
  size_mean += from_old / static_cast<double>(interactions);
  size_squares += from_old * (size_open - size_mean);
  size_log += (simd::natural_log(1.0 + size_open) - size_log) / static_cast<double>(interactions);
  size_max = std::max(size_max, size_open);
}

unsigned PeerStatistics::message(double time_s, double size, const Thresholds& thresholds) {
  const bool new_visit = visits.empty() || !(time_s - last_s < thresholds.farming_tempo_gap_s);
  if (interactions == 0) {
    first_s = time_s;
  } else {
    close();
    const double interval = time_s - last_s;
    interval_s =
        interactions == 1 ? interval : interval_s + kIntervalWeight * (interval - interval_s);
  }
  ++interactions;
  last_s = time_s;
  size_open = size;
  jumped = false;
  just_hurried = false;
  if (!thresholds.farming) return 0;
  const unsigned hurry = hurries(time_s, new_visit, thresholds) ? 1 : 0;
  return hurry + (jumps(thresholds) ? 1 : 0);
}

unsigned PeerStatistics::effort(double size, const Thresholds& thresholds) {
  if (interactions == 0) return 0;
  size_open += size;
  return thresholds.farming && jumps(thresholds) ? 1 : 0;
}

bool PeerStatistics::outcome(bool was_good) {
  if (interactions == 0) return false;
  ++(was_good ? good : bad);
  if (was_good) {
    streak = std::max<std::int64_t>(streak, 0) + 1;
    return false;
  }
  streak = std::min<std::int64_t>(streak, 0) - 1;
  visits.clear();
  hurried = false;
  return std::exchange(just_hurried, false);
}

// An open interaction only grows, so looking at each growth is looking at its final size.
bool PeerStatistics::jumps(const Thresholds& thresholds) {
  if (jumped || closed() < thresholds.farming_easy_count) return false;
  if (size_open < thresholds.farming_jump_min_size) return false;
  const double factor = thresholds.farming_jump_factor;
  if (thresholds.farming_jump_from == JumpFrom::largest) {
    jumped = size_open > size_max && size_open >= factor * size_max;
  } else {  // x >= factor (e^mean - 1), without the power
    jumped = simd::natural_log(1.0 + size_open) > size_log &&
             simd::natural_log(1.0 + size_open / factor) >= size_log;
  }
  return jumped;
}

bool PeerStatistics::hurries(double time_s, bool new_visit, const Thresholds& thresholds) {
  if (!new_visit) return false;
  visits.push_back(time_s);
  const std::size_t needed = thresholds.farming_tempo_count;
  if (visits.size() > needed) {
    visits.erase(visits.begin(), visits.end() - static_cast<std::ptrdiff_t>(needed));
  }
  const double days = (visits.back() - visits.front()) / kDayS;
  const bool before = hurried;
  hurried = visits.size() == needed &&
            static_cast<double>(needed - 1) > thresholds.farming_tempo_per_day * days;
  just_hurried = hurried && !before;
  return just_hurried;
}

double PeerStatistics::size_usual() const { return std::expm1(size_log); }

double PeerStatistics::size_deviation() const {
  if (closed() < 2) return 0.0;
  return std::sqrt(size_squares / static_cast<double>(closed() - 1));
}

double PeerStatistics::per_day() const {
  if (interactions < 2) return 0.0;
  return static_cast<double>(interactions - 1) / (std::max(last_s - first_s, 1.0) / kDayS);
}

}  // namespace prefrontal::cortex
