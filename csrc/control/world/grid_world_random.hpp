// NumPy's random streams, drawn from in C++: the same numbers as numpy.random.Generator gives.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace prefrontal::control {

// The C interface that NumPy documents for its bit generators (numpy/random/bitgen.h).
struct BitGenerator {
  void* state;
  std::uint64_t (*next_uint64)(void* state);
  std::uint32_t (*next_uint32)(void* state);
  double (*next_double)(void* state);
  std::uint64_t (*next_raw)(void* state);
};

// Borrows the bit generator. Not safe for threads, as the bit generator itself.
class Random {
 public:
  Random() = default;
  explicit Random(BitGenerator* bits) : bits_(bits) {}

  double uniform() { return bits_->next_double(bits_->state); }  // Generator.random()

  // Generator.integers(count): Lemire's method on 32 bits; one value takes no draw.
  std::uint32_t below(std::uint32_t count) {
    if (count <= 1) return 0;
    std::uint64_t product = std::uint64_t{word()} * count;
    if (static_cast<std::uint32_t>(product) < count) {
      const std::uint32_t threshold = (0u - count) % count;
      while (static_cast<std::uint32_t>(product) < threshold)
        product = std::uint64_t{word()} * count;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Generator.shuffle: from the last down, masked draws that are repeated when too large.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t top = values.size(); top > 1; --top) {
      const auto last = static_cast<std::uint32_t>(top - 1);
      const std::uint32_t mask = mask_of(last);
      std::uint32_t drawn = word() & mask;
      while (drawn > last) drawn = word() & mask;
      std::swap(values[last], values[drawn]);
    }
  }

 private:
  std::uint32_t word() { return bits_->next_uint32(bits_->state); }
  static std::uint32_t mask_of(std::uint32_t value) {
    for (int shift = 1; shift < 32; shift *= 2) value |= value >> shift;
    return value;
  }

  BitGenerator* bits_ = nullptr;
};

}  // namespace prefrontal::control
