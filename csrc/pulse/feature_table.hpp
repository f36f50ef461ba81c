// Weights of every module, stored by feature: one lookup of a feature reaches all modules.
//
// Most features are known to one module or to most of them, so a row is one inline cell, a sorted
// list of cells, or a dense column over all modules that the vector kernels can add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace prefrontal::pulse {

using Slot = std::uint32_t;  // place of a module

struct Cell {
  float weight = 0.0F;  // log-odds
  float energy = 0.0F;  // AdaGrad's sum of squared gradients; 0 marks an absent cell
};

class Row {
 public:
  std::size_t size() const { return size_; }
  Cell find(Slot slot) const;  // {0, 0} when the module does not know the feature
  void put(Slot slot, Cell cell, std::size_t slots);
  void erase(Slot slot);
  void add_to(float* sums, std::size_t slots) const;  // sums[slot] += weight, for all modules

 private:
  struct Many {
    bool dense = false;
    std::vector<Slot> slots;  // sorted; empty when dense
    std::vector<float> weights;
    std::vector<float> energies;
  };
  void spread(std::size_t slots);
  std::size_t size_ = 0;
  Slot slot_ = 0;
  Cell cell_;
  std::unique_ptr<Many> many_;
};

// Open addressing from key to row; keys are never 0.
class FeatureTable {
 public:
  const Row* find(std::uint64_t key) const;
  Row& at(std::uint64_t key);  // made when missing
  std::size_t size() const { return keys_.size(); }
  std::uint64_t key(std::size_t index) const { return keys_[index]; }
  Row& row(std::size_t index) { return rows_[index]; }
  const Row& row(std::size_t index) const { return rows_[index]; }
  void drop_empty_rows();

 private:
  std::size_t place(std::uint64_t key) const;
  void rebuild(std::size_t places);
  std::vector<std::uint32_t> places_;  // index + 1; 0 is free
  std::vector<std::uint64_t> keys_;
  std::vector<Row> rows_;
};

}  // namespace prefrontal::pulse
