// LinearScorer's modules: how they come, start from their seeds and go.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/linear_scorer.hpp"

namespace prefrontal::pulse {
void LinearScorer::add(const std::string& name, const std::string& digest, float bias,
                       std::span<const Seed> seeds) {
  std::unique_lock lock(mutex_);
  place(name, digest, {bias, bias, rates_.of(Kind::bias).seed_energy}, 0.0F);
  sow(modules_.find(name)->second, seeds);
}

// A module without weights under this name; the caller holds the lock.
void LinearScorer::place(const std::string& name, const std::string& digest, Cell bias,
                         float lead) {
  auto found = modules_.find(name);
  const Slot slot = found != modules_.end() ? found->second.slot : free_slot();
  Module fresh{slot, digest, 0};
  if (found == modules_.end()) {
    found = modules_.emplace(name, Module{slot, {}, 0}).first;
    try {
      index_names();
    } catch (...) {
      modules_.erase(found);
      throw;
    }
  } else {
    clear(slot);
  }
  used_[slot] = true;
  bias_[slot] = bias;
  set_lead(slot, lead);
  found->second = std::move(fresh);
}

void LinearScorer::index_names() {
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<Slot> order;
  for (const auto& [name, module] : modules_) {
    names->push_back(name);
    order.push_back(module.slot);
  }
  names_ = std::move(names);
  order_ = std::move(order);
}

bool LinearScorer::seed(const std::string& name, std::span<const Seed> seeds) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  sow(found->second, seeds);
  return true;
}

// What the module already knows about a feature stays.
void LinearScorer::sow(Module& module, std::span<const Seed> seeds) {
  for (const Seed& s : seeds) {
    const Row* row = table_.find(s.key);
    if (row == nullptr || row->find(module.slot).energy == 0.0F)
      put(module, s.key, {s.weight, s.weight, rates_.of(s.kind).seed_energy});
  }
}

bool LinearScorer::remove(const std::string& name) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  const Slot slot = found->second.slot;
  auto module = modules_.extract(found);
  try {
    index_names();
  } catch (...) {
    modules_.insert(std::move(module));
    throw;
  }
  clear(slot);
  used_[slot] = false;
  return true;
}

void LinearScorer::clear(Slot slot) {
  bool emptied = false;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    table_.row(i).erase(slot);
    emptied = emptied || table_.row(i).size() == 0;
  }
  if (emptied) table_.drop_empty_rows();
  bias_[slot] = {};
}

Slot LinearScorer::free_slot() {
  const auto free = std::find(used_.begin(), used_.end(), false);
  if (free != used_.end()) return static_cast<Slot>(free - used_.begin());
  const std::size_t slots = used_.size() + 1;  // each is resized: one may have grown before
  bias_.resize(slots);
  lead_.resize(slots, 0.0F);
  mix_.resize(slots, 0.5F);
  used_.resize(slots, false);
  return static_cast<Slot>(slots - 1);
}

std::vector<std::string> LinearScorer::modules() const {
  std::shared_lock lock(mutex_);
  return *names_;
}

std::size_t LinearScorer::features(const std::string& module) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  return found == modules_.end() ? 0 : found->second.features;
}

}  // namespace prefrontal::pulse
