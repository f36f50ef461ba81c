// LinearScorer's modules: how they come, start from their seeds and go.
#include <algorithm>
#include <mutex>

#include "csrc/pulse/linear_scorer.hpp"

namespace prefrontal::pulse {

void LinearScorer::add(const std::string& name, const std::string& digest, float bias,
                       std::span<const Seed> seeds, bool steady, bool commit_files) {
  Arrivals arrivals;
  Arrival& arrival = arrivals[name];
  arrival.digest = digest;
  arrival.steady = steady;
  arrival.commit_files = commit_files;
  arrival.bias = {bias, bias, rates_.of(Kind::bias).seed_energy, bias};
  for (auto seed = seeds.rbegin(); seed != seeds.rend(); ++seed)  // of two for a key the first
    arrival.cells.push_back(
        {seed->key, {seed->weight, seed->weight, rates_.of(seed->kind).seed_energy, seed->weight}});
  std::unique_lock lock(mutex_);
  admit(std::move(arrivals));
}

// The modules as they are to be; the caller holds the lock.
void LinearScorer::admit(Arrivals arrivals, const std::function<void()>& last) {
  Modules fresh;
  Index index;
  try {
    for (const auto& [name, arrival] : arrivals) {
      const auto known = modules_.find(name);
      if (known == modules_.end()) {
        const Slot slot = free_slot();
        fresh[name].slot = slot;
        used_[slot] = true;
        reserve(slot, arrival);
      } else {
        reserve(known->second.slot, arrival);
      }
    }
    index = index_with(fresh);
    last();
  } catch (...) {
    for (const auto& [name, module] : fresh) used_[module.slot] = false;
    table_.tidy();
    throw;
  }
  bool replaced = false;
  for (auto& [name, arrival] : arrivals) {
    auto module = fresh.find(name);
    if (module == fresh.end()) {
      module = modules_.find(name);
      clear(module->second.slot);
      replaced = true;
    }
    enter(module->second, arrival);
  }
  modules_.merge(fresh);
  set_index(std::move(index));
  if (replaced) table_.tidy();
}

void LinearScorer::reserve(Slot slot, const Arrival& arrival) {
  for (const auto& [key, cell] : arrival.cells)
    table_.row(table_.index_of(key)).reserve(slot, bias_.size());
}

void LinearScorer::enter(Module& module, Arrival& arrival) noexcept {
  module.digest.swap(arrival.digest);
  module.features = 0;
  bias_[module.slot] = arrival.bias;
  module.steady = arrival.steady.value_or(module.steady);
  module.commit_files = arrival.commit_files;
  set_lead(module, arrival.lead);
  for (const auto& [key, cell] : arrival.cells) put(module, *table_.find(key), cell);
}

LinearScorer::Index LinearScorer::index_with(const Modules& fresh, const Module* without) const {
  std::vector<const Modules::value_type*> all;
  all.reserve(modules_.size() + fresh.size());
  for (const auto& module : modules_)
    if (&module.second != without) all.push_back(&module);
  const auto middle = static_cast<std::ptrdiff_t>(all.size());
  for (const auto& module : fresh) all.push_back(&module);
  std::ranges::inplace_merge(all, all.begin() + middle, {}, &Modules::value_type::first);
  Index index;
  for (const auto* module : all) {
    index.names->push_back(module->first);
    index.order.push_back(module->second.slot);
  }
  return index;
}

void LinearScorer::set_index(Index index) noexcept {
  names_ = std::move(index.names);
  order_ = std::move(index.order);
}

// What the module already knows about a feature stays.
bool LinearScorer::seed(const std::string& name, std::span<const Seed> seeds) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  Module& module = found->second;
  for (const Seed& s : seeds) table_.row(table_.index_of(s.key)).reserve(module.slot, bias_.size());
  for (const Seed& s : seeds) {
    Row& row = *table_.find(s.key);
    if (row.find(module.slot).energy == 0.0F)
      put(module, row, {s.weight, s.weight, rates_.of(s.kind).seed_energy, s.weight});
  }
  return true;
}

bool LinearScorer::remove(const std::string& name) {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  set_index(index_with({}, &found->second));
  const Slot slot = found->second.slot;
  modules_.erase(found);
  clear(slot);
  table_.tidy();
  bias_[slot] = {};
  used_[slot] = false;
  return true;
}

void LinearScorer::clear(Slot slot) noexcept {
  for (std::size_t i = 0; i < table_.size(); ++i) table_.row(i).erase(slot);
}

void LinearScorer::put(Module& module, Row& row, const Cell& cell) noexcept {
  const std::size_t before = row.size();
  row.put(module.slot, cell);
  module.features += row.size() - before;
}

Slot LinearScorer::free_slot() {
  const auto free = std::find(used_.begin(), used_.end(), false);
  if (free != used_.end()) return static_cast<Slot>(free - used_.begin());
  const std::size_t slots = used_.size() + 1;  // each is resized: one may have grown before
  bias_.resize(slots);
  lead_.resize(slots);
  mix_.resize(slots);
  used_.resize(slots, false);
  return static_cast<Slot>(slots - 1);
}

std::vector<std::string> LinearScorer::modules() const {
  std::shared_lock lock(mutex_);
  return *names_;
}

bool LinearScorer::commit_files(const std::string& module) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  return found != modules_.end() && found->second.commit_files;
}

std::size_t LinearScorer::features(const std::string& module) const {
  std::shared_lock lock(mutex_);
  const auto found = modules_.find(module);
  return found == modules_.end() ? 0 : found->second.features;
}

}  // namespace prefrontal::pulse
