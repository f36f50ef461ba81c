// Weights of every module, stored by feature: one lookup of a feature reaches all modules.
//
// Most features are known to one module or to most of them, so a row is one inline cell, a sorted
// list of cells, or a dense column over all modules that the vector kernels can add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace prefrontal::pulse {

using Slot = std::uint32_t;  // place of a module

// What one module knows of one feature: its log-odds as three learners see it.
struct Cell {
  float slow = 0.0F;    // steps shrink as evidence adds up (AdaGrad)
  float fast = 0.0F;    // steps of one size, which follow a world that changes
  float energy = 0.0F;  // AdaGrad's sum of squared gradients; 0 marks an absent cell
  float steady = 0.0F;  // steps shrink in proportion to the evidence
};

// For all modules at once, by slot.
struct Sums {
  std::vector<float> slow;
  std::vector<float> fast;
  std::vector<float> steady;
};

// What is reserved or erased keeps its place, with a cell of zeros that counts as none, until
// `tidy`.
class Row {
 public:
  std::size_t size() const { return size_; }
  Cell find(Slot slot) const;  // zeros when the module does not know the feature
  // A place for the module, of `slots` there are: without one nothing can be put.
  void reserve(Slot slot, std::size_t slots);
  void put(Slot slot, const Cell& cell) noexcept;
  void erase(Slot slot) noexcept;
  void tidy() noexcept;
  void add_to(Sums& sums) const;  // the weights of all modules

  // Calls visit(slot, cell) for each module that knows the feature, in order of slot.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (size_ == 0) return;
    if (!many_) return visit(slot_, cell_);
    for (std::size_t i = 0; i < many_->slow.size(); ++i) {
      const Slot slot = many_->dense ? static_cast<Slot>(i) : many_->slots[i];
      if (many_->energies[i] != 0.0F) visit(slot, many_->get(i));
    }
  }

 private:
  struct Many {
    bool dense = false;
    std::vector<Slot> slots;  // sorted; empty when dense
    std::vector<float> slow;
    std::vector<float> fast;
    std::vector<float> energies;
    std::vector<float> steady;

    void resize(std::size_t size);
    void set(std::size_t at, const Cell& cell);
    Cell get(std::size_t at) const { return {slow[at], fast[at], energies[at], steady[at]}; }
    std::size_t at(Slot slot) const;  // the first place from which the list goes on with others
  };
  static constexpr Slot kNobody = 0xFFFFFFFFU;

  void spread(std::size_t slots);
  std::size_t size_ = 0;
  Slot slot_ = kNobody;  // whom cell_ is of, or is kept for
  Cell cell_;
  std::unique_ptr<Many> many_;
};

// Open addressing from key to row; keys are never 0.
class FeatureTable {
 public:
  const Row* find(std::uint64_t key) const;
  Row* find(std::uint64_t key) { return const_cast<Row*>(std::as_const(*this).find(key)); }
  std::size_t index_of(std::uint64_t key);  // of its row, which is made when missing
  std::size_t size() const { return keys_.size(); }
  std::uint64_t key(std::size_t index) const { return keys_[index]; }
  Row& row(std::size_t index) { return rows_[index]; }
  const Row& row(std::size_t index) const { return rows_[index]; }
  void tidy() noexcept;  // of what was erased, rows without a cell included

 private:
  std::size_t place(std::uint64_t key) const;
  void rebuild(std::size_t places);
  std::vector<std::uint32_t> places_;  // index + 1; 0 is free
  std::vector<std::uint64_t> keys_;
  std::vector<Row> rows_;
};

}  // namespace prefrontal::pulse
