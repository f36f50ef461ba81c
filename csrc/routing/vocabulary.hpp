// Texts numbered 0, 1, 2, ... in the order they were added, found by hash; can live in a file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "csrc/routing/column.hpp"

namespace prefrontal::routing {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// FNV-1a over eight bytes at a time; the same on every machine.
std::uint64_t text_hash(std::string_view text);

// A vocabulary that grows.
class GrowingVocabulary {
 public:
  // `room`: for half as many texts without growing; a power of two.
  explicit GrowingVocabulary(std::size_t room = 1024) : starts_{0}, slots_(room) {}

  std::uint32_t add(std::string_view text);         // its number, a new one where needed
  void shorten(std::uint32_t size) noexcept;        // to its first texts
  std::uint32_t find(std::string_view text) const;  // kNone where there is none
  std::string_view text(std::uint32_t id) const {
    return {letters_.data() + starts_[id], starts_[id + 1] - starts_[id]};
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }

 private:
  friend class Vocabulary;
  struct Slot {
    std::uint32_t id = kNone;
    std::uint32_t tag = 0;  // bits of the hash that the place does not tell
  };

  std::size_t place(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::vector<char> letters_;
  std::vector<std::uint32_t> starts_;
  std::vector<Slot> slots_;  // open addressing, at most half full
};

// One that is finished.
class Vocabulary {
 public:
  Vocabulary() = default;
  explicit Vocabulary(GrowingVocabulary grown);

  std::uint32_t find(std::string_view text) const;
  std::string_view text(std::uint32_t id) const {
    return {letters.data() + starts[id], starts[id + 1] - starts[id]};
  }
  std::uint32_t size() const {
    return starts.empty() ? 0 : static_cast<std::uint32_t>(starts.size() - 1);
  }

  Column<char> letters;
  Column<std::uint32_t> starts;
  Column<std::uint32_t> slots;
};

}  // namespace prefrontal::routing
