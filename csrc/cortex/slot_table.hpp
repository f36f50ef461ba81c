// A hash table of slot numbers: the keys stay where the slots are, four bytes an entry here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace prefrontal::cortex {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Bits spread over the whole word (the finalizer of splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

class SlotTable {
 public:
  // The slot of this hash for which `same(slot)` holds, or kNone.
  std::uint32_t find(std::uint64_t hash, auto&& same) const {
    if (places_.empty()) return kNone;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      if (places_[at] == kNone || same(places_[at])) return places_[at];
    }
  }

  // Room for one more. `hash_of(slot)` tells the hash of a slot that is already there.
  void make_room(auto&& hash_of) {
    if ((used_ + 1) * 4 > places_.size() * 3) grow(hash_of);
  }

  // After `make_room`.
  void insert(std::uint64_t hash, std::uint32_t slot) noexcept {
    place(hash, slot);
    ++used_;
  }

  void erase(std::uint64_t hash, std::uint32_t slot, auto&& hash_of) noexcept {
    std::size_t hole = hash & mask();
    while (places_[hole] != slot) hole = (hole + 1) & mask();
    // Those behind the hole move up, so that each is still reached from its own place.
    for (std::size_t at = (hole + 1) & mask(); places_[at] != kNone; at = (at + 1) & mask()) {
      const std::size_t home = hash_of(places_[at]) & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      places_[hole] = places_[at];
      hole = at;
    }
    places_[hole] = kNone;
    --used_;
  }

 private:
  std::size_t mask() const { return places_.size() - 1; }

  void place(std::uint64_t hash, std::uint32_t slot) {
    std::size_t at = hash & mask();
    while (places_[at] != kNone) at = (at + 1) & mask();
    places_[at] = slot;
  }

  void grow(auto&& hash_of) {
    std::vector<std::uint32_t> old(places_.empty() ? 8 : places_.size() * 2, kNone);
    std::swap(old, places_);
    for (const std::uint32_t slot : old)
      if (slot != kNone) place(hash_of(slot), slot);
  }

  std::vector<std::uint32_t> places_;  // as many as a power of two
  std::size_t used_ = 0;
};

}  // namespace prefrontal::cortex
