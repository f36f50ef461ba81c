#include "csrc/pulse/feature_table.hpp"

#include <algorithm>

#include "csrc/simd/dispatch.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::size_t kDenseFrom = 16;  // modules; below that a list is as fast
constexpr std::size_t kDenseShare = 4;  // dense once a quarter of the modules know the feature

// Memory for one more in each: the insertions after it cannot fail half way.
void make_room(auto&... lists) {
  const auto grow = [](auto& list) {
    if (list.size() == list.capacity()) list.reserve(2 * list.size() + 1);
  };
  (grow(lists), ...);
}

}  // namespace

void Row::Many::resize(std::size_t size) {
  slow.resize(size, 0.0F);
  fast.resize(size, 0.0F);
  energies.resize(size, 0.0F);
}

void Row::Many::set(std::size_t at, const Cell& cell) {
  slow[at] = cell.slow;
  fast[at] = cell.fast;
  energies[at] = cell.energy;
}

Cell Row::find(Slot slot) const {
  if (size_ == 0) return {};
  if (!many_) return slot == slot_ ? cell_ : Cell{};
  if (many_->dense) return slot < many_->slow.size() ? many_->get(slot) : Cell{};
  const auto at = std::lower_bound(many_->slots.begin(), many_->slots.end(), slot);
  if (at == many_->slots.end() || *at != slot) return {};
  return many_->get(static_cast<std::size_t>(at - many_->slots.begin()));
}

void Row::put(Slot slot, Cell cell, std::size_t slots) {
  if (size_ == 0 || (!many_ && slot == slot_)) {
    size_ = 1;
    slot_ = slot;
    cell_ = cell;
    return;
  }
  if (!many_) {
    auto many = std::make_unique<Many>();
    many->slots = {slot_};
    many->resize(1);
    many->set(0, cell_);
    many_ = std::move(many);
  }
  if (many_->dense) {
    if (slot >= many_->slow.size()) many_->resize(std::max<std::size_t>(slot + 1, slots));
    if (many_->energies[slot] == 0.0F) ++size_;
    return many_->set(slot, cell);
  }
  const auto at = std::lower_bound(many_->slots.begin(), many_->slots.end(), slot);
  const auto i = at - many_->slots.begin();
  if (at == many_->slots.end() || *at != slot) {
    make_room(many_->slots, many_->slow, many_->fast, many_->energies);
    many_->slots.insert(many_->slots.begin() + i, slot);
    many_->slow.insert(many_->slow.begin() + i, 0.0F);
    many_->fast.insert(many_->fast.begin() + i, 0.0F);
    many_->energies.insert(many_->energies.begin() + i, 0.0F);
    ++size_;
  }
  many_->set(static_cast<std::size_t>(i), cell);
  if (size_ >= kDenseFrom && size_ * kDenseShare >= slots) spread(slots);
}

void Row::spread(std::size_t slots) {
  auto dense = std::make_unique<Many>();
  dense->dense = true;
  dense->resize(std::max<std::size_t>(slots, many_->slots.back() + 1));
  for (std::size_t i = 0; i < many_->slots.size(); ++i) dense->set(many_->slots[i], many_->get(i));
  many_ = std::move(dense);
}

void Row::erase(Slot slot) {
  if (find(slot).energy == 0.0F) return;
  --size_;
  if (size_ == 0) {
    many_.reset();
  } else if (many_->dense) {
    many_->set(slot, {});
  } else {
    const auto i =
        std::lower_bound(many_->slots.begin(), many_->slots.end(), slot) - many_->slots.begin();
    many_->slots.erase(many_->slots.begin() + i);
    many_->slow.erase(many_->slow.begin() + i);
    many_->fast.erase(many_->fast.begin() + i);
    many_->energies.erase(many_->energies.begin() + i);
  }
}

void Row::add_to(Sums& sums) const {
  if (size_ == 0) return;
  if (!many_) {
    sums.slow[slot_] += cell_.slow;
    sums.fast[slot_] += cell_.fast;
  } else if (many_->dense) {
    const int n = static_cast<int>(std::min(sums.slow.size(), many_->slow.size()));
    simd::kernels().add(many_->slow.data(), sums.slow.data(), n);
    simd::kernels().add(many_->fast.data(), sums.fast.data(), n);
  } else {
    for (std::size_t i = 0; i < many_->slots.size(); ++i) {
      sums.slow[many_->slots[i]] += many_->slow[i];
      sums.fast[many_->slots[i]] += many_->fast[i];
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

Row& FeatureTable::at(std::uint64_t key) {
  if ((keys_.size() + 1) * 2 > places_.size())
    rebuild(std::max<std::size_t>(64, places_.size() * 2));
  const std::size_t at = place(key);
  if (places_[at] == 0) {
    rows_.emplace_back();
    try {
      keys_.push_back(key);
    } catch (...) {
      rows_.pop_back();
      throw;
    }
    places_[at] = static_cast<std::uint32_t>(keys_.size());
  }
  return rows_[places_[at] - 1];
}

void FeatureTable::rebuild(std::size_t places) {
  places_.assign(places, 0);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    places_[place(keys_[i])] = static_cast<std::uint32_t>(i + 1);
  }
}

void FeatureTable::drop_empty_rows() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].size() == 0) continue;
    if (kept != i) {
      rows_[kept] = std::move(rows_[i]);
      keys_[kept] = keys_[i];
    }
    ++kept;
  }
  rows_.resize(kept);
  keys_.resize(kept);
  std::size_t places = 64;
  while (places < kept * 2 + 2) places *= 2;
  rebuild(places);
}

}  // namespace prefrontal::pulse
