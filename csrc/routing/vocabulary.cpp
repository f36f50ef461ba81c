#include "csrc/routing/vocabulary.hpp"

#include <cstring>
#include <stdexcept>

#include "csrc/simd/room.hpp"

namespace prefrontal::routing {
namespace {

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

std::uint64_t text_hash(std::string_view text) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15ULL;
  std::uint64_t state = text.size() * kPrime;
  std::size_t i = 0;
  const auto mix = [&](std::uint64_t block) {
    state = (state ^ block) * kPrime;
    state ^= state >> 32U;
  };
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + i, 8);
    mix(block);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data() + i, text.size() - i);
  mix(rest);
  return state;
}

// Where `text` stands among the slots, or the free slot where it would.
std::size_t GrowingVocabulary::place(std::string_view text, std::uint64_t hash) const {
  const std::size_t last = slots_.size() - 1;
  std::size_t at = hash & last;
  while (slots_[at].id != kNone &&
         (slots_[at].tag != tag_of(hash) || this->text(slots_[at].id) != text))
    at = (at + 1) & last;
  return at;
}

std::uint32_t GrowingVocabulary::find(std::string_view text) const {
  return slots_[place(text, text_hash(text))].id;
}

std::uint32_t GrowingVocabulary::add(std::string_view text) {
  const std::uint64_t hash = text_hash(text);
  if (const Slot& known = slots_[place(text, hash)]; known.id != kNone) return known.id;
  if (letters_.size() + text.size() > kNone - 1) {
    throw std::length_error("texts of an index must be at most 4 GiB long, got more");
  }
  const std::uint32_t id = size();
  simd::make_room(1, starts_);
  simd::make_room(text.size(), letters_);
  if (2 * (std::size_t{id} + 1) > slots_.size()) grow();
  letters_.insert(letters_.end(), text.begin(), text.end());
  starts_.push_back(static_cast<std::uint32_t>(letters_.size()));
  slots_[place(text, hash)] = {id, tag_of(hash)};
  return id;
}

// The latest text is the last that was given a place, so no other was put behind it.
void GrowingVocabulary::shorten(std::uint32_t size) noexcept {
  while (this->size() > size) {
    const std::string_view last = text(this->size() - 1);
    slots_[place(last, text_hash(last))] = {};
    starts_.pop_back();
    letters_.resize(starts_.back());
  }
}

void GrowingVocabulary::grow() {
  slots_.assign(slots_.size() * 2, {});
  for (std::uint32_t id = 0; id < size(); ++id) {
    const std::uint64_t hash = text_hash(text(id));
    slots_[place(text(id), hash)] = {id, tag_of(hash)};
  }
}

Vocabulary::Vocabulary(GrowingVocabulary grown)
    : letters(std::move(grown.letters_)), starts(std::move(grown.starts_)) {
  std::vector<std::uint32_t> ids;
  ids.reserve(grown.slots_.size());
  for (const GrowingVocabulary::Slot& slot : grown.slots_) ids.push_back(slot.id);
  slots = std::move(ids);
}

std::uint32_t Vocabulary::find(std::string_view text) const {
  if (slots.empty()) return kNone;
  const std::size_t last = slots.size() - 1;
  std::size_t at = text_hash(text) & last;
  while (slots[at] != kNone && this->text(slots[at]) != text) at = (at + 1) & last;
  return slots[at];
}

}  // namespace prefrontal::routing
