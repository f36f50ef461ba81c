#include "csrc/pulse/feature_table.hpp"

#include <algorithm>

#include "csrc/simd/dispatch.hpp"
#include "csrc/simd/room.hpp"

namespace prefrontal::pulse {
namespace {

using simd::make_room;

constexpr std::size_t kDenseFrom = 16;  // modules; below that a list is as fast
constexpr std::size_t kDenseShare = 4;  // dense once a quarter of the modules know the feature

}  // namespace

void Row::Many::resize(std::size_t size) {
  make_room(size - slow.size(), slow, fast, energies, steady);
  slow.resize(size, 0.0F);
  fast.resize(size, 0.0F);
  energies.resize(size, 0.0F);
  steady.resize(size, 0.0F);
}

std::size_t Row::Many::at(Slot slot) const {
  if (dense) return slot;
  return static_cast<std::size_t>(std::ranges::lower_bound(slots, slot) - slots.begin());
}

void Row::Many::set(std::size_t at, const Cell& cell) {
  slow[at] = cell.slow;
  fast[at] = cell.fast;
  energies[at] = cell.energy;
  steady[at] = cell.steady;
}

Cell Row::find(Slot slot) const {
  if (size_ == 0) return {};
  if (!many_) return slot == slot_ ? cell_ : Cell{};
  const std::size_t at = many_->at(slot);
  if (at >= many_->slow.size() || (!many_->dense && many_->slots[at] != slot)) return {};
  return many_->get(at);
}

void Row::reserve(Slot slot, std::size_t slots) {
  if (!many_) {
    if (slot_ == slot || slot_ == kNobody) {
      slot_ = slot;
      return;
    }
    auto many = std::make_unique<Many>();
    many->slots = {slot_};
    many->resize(1);
    many->set(0, cell_);
    many_ = std::move(many);
  }
  const std::size_t at = many_->at(slot);
  if (many_->dense) {
    if (at >= many_->slow.size()) many_->resize(std::max<std::size_t>(at + 1, slots));
    return;
  }
  if (at < many_->slots.size() && many_->slots[at] == slot) return;
  make_room(1, many_->slots, many_->slow, many_->fast, many_->energies, many_->steady);
  const auto i = static_cast<std::ptrdiff_t>(at);
  many_->slots.insert(many_->slots.begin() + i, slot);
  many_->slow.insert(many_->slow.begin() + i, 0.0F);
  many_->fast.insert(many_->fast.begin() + i, 0.0F);
  many_->energies.insert(many_->energies.begin() + i, 0.0F);
  many_->steady.insert(many_->steady.begin() + i, 0.0F);
  const std::size_t places = many_->slots.size();
  if (places >= kDenseFrom && places * kDenseShare >= slots) spread(slots);
}

void Row::put(Slot slot, const Cell& cell) noexcept {
  if (find(slot).energy == 0.0F) ++size_;
  if (many_) {
    many_->set(many_->at(slot), cell);
  } else {
    slot_ = slot;
    cell_ = cell;
  }
}

void Row::spread(std::size_t slots) {
  auto dense = std::make_unique<Many>();
  dense->dense = true;
  dense->resize(std::max<std::size_t>(slots, many_->slots.back() + 1));
  for (std::size_t i = 0; i < many_->slots.size(); ++i) dense->set(many_->slots[i], many_->get(i));
  many_ = std::move(dense);
}

void Row::erase(Slot slot) noexcept {
  if (find(slot).energy == 0.0F) return;
  --size_;
  if (many_) {
    many_->set(many_->at(slot), {});
  } else {
    cell_ = {};
  }
}

void Row::tidy() noexcept {
  if (size_ == 0) {
    many_.reset();
    slot_ = kNobody;
  } else if (many_ && !many_->dense && many_->slots.size() > size_) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < many_->slots.size(); ++i) {
      if (many_->energies[i] == 0.0F) continue;
      many_->slots[kept] = many_->slots[i];
      many_->set(kept++, many_->get(i));
    }
    many_->slots.resize(kept);
    many_->slow.resize(kept);
    many_->fast.resize(kept);
    many_->energies.resize(kept);
    many_->steady.resize(kept);
  }
}

void Row::add_to(Sums& sums) const {
  if (size_ == 0) return;
  if (!many_) {
    sums.slow[slot_] += cell_.slow;
    sums.fast[slot_] += cell_.fast;
    sums.steady[slot_] += cell_.steady;
  } else if (many_->dense) {
    const int n = static_cast<int>(std::min(sums.slow.size(), many_->slow.size()));
    simd::kernels().add(many_->slow.data(), sums.slow.data(), n);
    simd::kernels().add(many_->fast.data(), sums.fast.data(), n);
    simd::kernels().add(many_->steady.data(), sums.steady.data(), n);
  } else {
    for (std::size_t i = 0; i < many_->slots.size(); ++i) {
      sums.slow[many_->slots[i]] += many_->slow[i];
      sums.fast[many_->slots[i]] += many_->fast[i];
      sums.steady[many_->slots[i]] += many_->steady[i];
    }
  }
}

std::size_t FeatureTable::place(std::uint64_t key) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t at = key & mask;
  while (places_[at] != 0 && keys_[places_[at] - 1] != key) at = (at + 1) & mask;
  return at;
}

const Row* FeatureTable::find(std::uint64_t key) const {
  if (places_.empty()) return nullptr;
  const std::uint32_t index = places_[place(key)];
  return index == 0 ? nullptr : &rows_[index - 1];
}

std::size_t FeatureTable::index_of(std::uint64_t key) {
  if ((keys_.size() + 1) * 2 > places_.size())
    rebuild(std::max<std::size_t>(64, places_.size() * 2));
  const std::size_t at = place(key);
  if (places_[at] == 0) {
    make_room(1, rows_, keys_);
    rows_.emplace_back();
    keys_.push_back(key);
    places_[at] = static_cast<std::uint32_t>(keys_.size());
  }
  return places_[at] - 1;
}

void FeatureTable::rebuild(std::size_t places) {
  places_.assign(places, 0);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    places_[place(keys_[i])] = static_cast<std::uint32_t>(i + 1);
  }
}

void FeatureTable::tidy() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].tidy();
    if (rows_[i].size() == 0) continue;
    if (kept != i) {
      rows_[kept] = std::move(rows_[i]);
      keys_[kept] = keys_[i];
    }
    ++kept;
  }
  if (kept == rows_.size()) return;
  rows_.resize(kept);
  keys_.resize(kept);
  std::size_t places = 64;  // never more than there are: one is free now
  while (places < kept * 2 + 2) places *= 2;
  rebuild(places);
}

}  // namespace prefrontal::pulse
