#include "csrc/cortex/thresholds.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace prefrontal::cortex {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& rule, const std::string& got) {
  throw std::invalid_argument(name + " must " + rule + ", got " + got);
}

void positive(const char* name, double value) {
  if (!(value > 0.0 && value <= kLargest)) refuse(name, "be positive", spoken(value));
}

void at_least(const char* name, double value, double least) {
  if (!(value >= least && value <= kLargest))
    refuse(name, "be at least " + spoken(least), spoken(value));
}

void between(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value < least || value > most) {
    refuse(name, "be between " + std::to_string(least) + " and " + std::to_string(most),
           std::to_string(value));
  }
}

}  // namespace

void check(const Thresholds& t) {
  constexpr std::uint64_t many = 1'000'000'000;
  if (t.period_s) positive("period_s", *t.period_s);
  if (t.count) between("count", *t.count, 1, many);
  at_least("retry_s", t.retry_s, 0.0);
  at_least("retry_limit_s", t.retry_limit_s, t.retry_s);
  between("farming_easy_count", t.farming_easy_count, 1, many);
  at_least("farming_jump_factor", t.farming_jump_factor, 1.0);
  at_least("farming_jump_min_size", t.farming_jump_min_size, 0.0);
  between("farming_tempo_count", t.farming_tempo_count, 2, kMostVisits);
  positive("farming_tempo_per_day", t.farming_tempo_per_day);
  at_least("farming_tempo_gap_s", t.farming_tempo_gap_s, 0.0);
  between("max_peers", t.max_peers, 1, 10'000'000);
  between("max_commitments", t.max_commitments, 1, 100'000);
}

double checked_time(const char* name, double value) {
  if (!(std::fabs(value) <= kLargest)) refuse(name, "lie within 1e15 seconds of 0", spoken(value));
  return value;
}

double checked_size(const char* name, double value) {
  if (!(value >= 0.0 && value <= kLargest)) refuse(name, "be between 0 and 1e15", spoken(value));
  return value;
}

std::string spoken(double value) {
  if (std::isnan(value)) return "nan";
  const double size = std::fabs(value);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e16);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string out(text, end.ptr);
  if (plain && out.find('.') == std::string::npos) out += ".0";
  return out;
}

}  // namespace prefrontal::cortex
