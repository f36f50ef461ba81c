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
  const auto found = modules_.find(name);
  Slot slot = 0;
  if (found != modules_.end()) {
    slot = found->second.slot;
    clear(slot);
  } else {
    slot = free_slot();
  }
  used_[slot] = true;
  bias_[slot] = bias;
  set_lead(slot, lead);
  modules_.insert_or_assign(name, Module{slot, digest, 0});
  index_names();
}

void LinearScorer::index_names() {
  auto names = std::make_shared<std::vector<std::string>>();
  order_.clear();
  for (const auto& [name, module] : modules_) {
    names->push_back(name);
    order_.push_back(module.slot);
  }
  names_ = std::move(names);
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
  clear(found->second.slot);
  used_[found->second.slot] = false;
  modules_.erase(found);
  index_names();
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
  used_.push_back(false);
  bias_.emplace_back();
  lead_.push_back(0.0F);
  mix_.push_back(0.5F);
  return static_cast<Slot>(used_.size() - 1);
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
