// Agents by the time at which one is to be looked at: a heap whose outdated entries stay until
// they come up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "csrc/simd/room.hpp"

namespace prefrontal::cortex {

class Queue {
 public:
  struct Entry {
    double time_s;
    std::uint32_t agent;
  };

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& first() const { return entries_.front(); }
  void make_room(std::size_t more) { simd::make_room(more, entries_); }
  void add(double time_s, std::uint32_t agent) {
    entries_.push_back({time_s, agent});
    std::ranges::push_heap(entries_, later);
  }
  Entry take() {
    std::ranges::pop_heap(entries_, later);
    const Entry taken = entries_.back();
    entries_.pop_back();
    return taken;
  }
  // Keeps the entries for which `current(entry)` holds.
  void sweep(auto&& current) {
    std::erase_if(entries_, [&](const Entry& entry) { return !current(entry); });
    std::ranges::make_heap(entries_, later);
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.time_s > b.time_s; }

  std::vector<Entry> entries_;
};

}  // namespace prefrontal::cortex
