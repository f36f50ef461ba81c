#include "csrc/pulse/routes.hpp"

#include <algorithm>
#include <mutex>

#include "csrc/pulse/path_parts.hpp"
#include "csrc/pulse/sparse_features.hpp"

namespace prefrontal::pulse {
namespace {

std::string_view name_of(std::string_view location) {
  while (location.size() > 1 && location.back() == '/') location.remove_suffix(1);
  return location.substr(location.rfind('/') + 1);  // npos + 1 is 0
}

void drop(std::vector<std::uint32_t>& places, std::uint32_t place) { std::erase(places, place); }

}  // namespace

// The modules a window goes to so far.
class Routes::Marks {
 public:
  Marks(std::size_t places, std::size_t modules) : marked_(places, false), left_(modules) {}
  void set(Place place) {
    left_ -= marked_[place] ? 0U : 1U;
    marked_[place] = true;
  }
  void set(const std::vector<Place>& places) {
    for (Place place : places) set(place);
  }
  bool full() const { return left_ == 0; }
  bool operator[](Place place) const { return marked_[place]; }

 private:
  std::vector<bool> marked_;
  std::size_t left_;  // modules without a mark
};

void Routes::Node::insert(const Parts& path, Place place) {
  Node* node = this;
  try {
    for (std::string_view part : path) {
      auto found = node->children.find(part);
      if (found == node->children.end()) {
        found = node->children.emplace(std::string(part), std::make_unique<Node>()).first;
        found->second->parent = node;
        found->second->name = found->first;
      }
      node = found->second.get();
    }
    node->places.push_back(place);
  } catch (...) {
    node->prune();
    throw;
  }
}

void Routes::Node::erase(const Parts& path, Place place) noexcept {
  Node* node = this;
  for (std::string_view part : path) {
    const auto found = node->children.find(part);
    if (found == node->children.end()) return;
    node = found->second.get();
  }
  drop(node->places, place);
  node->prune();
}

void Routes::Node::prune() noexcept {
  Node* node = this;
  while (node->parent != nullptr && node->places.empty() && node->children.empty()) {
    Node* above = node->parent;
    above->children.erase(above->children.find(node->name));
    node = above;
  }
}

// Calls visit(places) at each node from the root down to `path`.
template <class Visit>
void Routes::Node::above(std::string_view path, Visit&& visit) const {
  const Node* node = this;
  visit(node->places);
  for (std::string_view part : path_parts(path)) {
    const auto found = node->children.find(part);
    if (found == node->children.end()) return;
    node = found->second.get();
    visit(node->places);
  }
}

void Routes::add(const std::string& name, Interests interests) {
  std::unique_lock lock(mutex_);
  Modules fresh;
  prepare(fresh, name, std::move(interests));
  put_in_place_of_old(fresh);
}

void Routes::add_all(std::span<const std::string> names) {
  std::unique_lock lock(mutex_);
  Modules fresh;
  try {
    for (const std::string& name : names) prepare(fresh, name, {});
  } catch (...) {
    for (const auto& [name, module] : fresh) forget(module);
    throw;
  }
  put_in_place_of_old(fresh);
}

// A module with a place of its own, beside the one that it replaces.
void Routes::prepare(Modules& fresh, const std::string& name, Interests interests) {
  const auto [at, added] = fresh.try_emplace(name);
  if (!added) return;  // named twice
  try {
    Module& module = at->second;
    module.interests = std::move(interests);
    for (const std::string& path : module.interests.directories)
      module.directories.push_back(path_parts(path));
    for (const std::string& path : module.interests.namespaces)
      module.namespaces.push_back(path_parts(path));
    for (const std::string& extension : module.interests.irrelevant_extensions)
      module.refused.insert(lower_case(extension));
    const auto free = std::find(by_place_.begin(), by_place_.end(), nullptr);
    module.place = static_cast<Place>(free - by_place_.begin());
    if (free == by_place_.end()) by_place_.push_back(nullptr);
    by_place_[module.place] = &module;
    try {
      enter(module);
    } catch (...) {
      forget(module);
      throw;
    }
  } catch (...) {
    fresh.erase(at);
    throw;
  }
}

void Routes::enter(Module& module) {
  const Place place = module.place;
  for (const Parts& path : module.directories) directories_.insert(path, place);
  for (const Parts& path : module.namespaces) namespaces_.insert(path, place);
  if (module.interests.ticks) ticks_.push_back(place);
  if (module.interests.undeclared) undeclared_.push_back(place);
  for (const SourceInterest& each : module.interests.sources)
    sources_[each.source].push_back(place);
  if (module.interests.everything()) everything_.push_back(place);
}

void Routes::put_in_place_of_old(Modules& fresh) noexcept {
  for (const auto& [name, module] : fresh) {
    const auto old = modules_.find(name);
    if (old == modules_.end()) continue;
    forget(old->second);
    modules_.erase(old);
  }
  modules_.merge(fresh);
}

bool Routes::remove(const std::string& name) noexcept {
  std::unique_lock lock(mutex_);
  const auto found = modules_.find(name);
  if (found == modules_.end()) return false;
  forget(found->second);
  modules_.erase(found);
  return true;
}

void Routes::forget(const Module& module) noexcept {
  for (const Parts& path : module.directories) directories_.erase(path, module.place);
  for (const Parts& path : module.namespaces) namespaces_.erase(path, module.place);
  drop(ticks_, module.place);
  drop(undeclared_, module.place);
  for (const SourceInterest& each : module.interests.sources) {
    const auto found = sources_.find(each.source);
    if (found == sources_.end()) continue;  // named twice
    drop(found->second, module.place);
    if (found->second.empty()) sources_.erase(found);
  }
  drop(everything_, module.place);
  by_place_[module.place] = nullptr;
}

std::vector<std::string> Routes::modules() const {
  std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, module] : modules_) names.push_back(name);
  return names;
}

void Routes::file(const Event& event, Marks& marks) const {
  const std::string_view name = name_of(event.location);
  const std::string extension =
      event.extension.empty() ? lower_extension(name) : lower_case(event.extension);
  const std::string both = double_extension(name);
  directories_.above(event.location, [&](const std::vector<Place>& places) {
    for (Place place : places) {
      const auto& refused = by_place_[place]->refused;
      if (refused.empty() || !(refused.contains(extension) || refused.contains(both)))
        marks.set(place);
    }
  });
}

void Routes::memory(const Event& event, Marks& marks) const {
  const auto visit = [&](const std::vector<Place>& places) { marks.set(places); };
  namespaces_.above(event.location, visit);
  if (!event.name_space.empty()) namespaces_.above(event.name_space, visit);
}

void Routes::other(const Event& event, Marks& marks) const {
  marks.set(undeclared_);
  other(event.source, event, marks);
  if (!is_named_source(event.source)) other("", event, marks);
}

void Routes::other(std::string_view source, const Event& event, Marks& marks) const {
  const auto found = sources_.find(source);
  if (found == sources_.end()) return;
  for (Place place : found->second) {
    for (const SourceInterest& each : by_place_[place]->interests.sources)
      if (each.source == source && each.concerns(event)) marks.set(place);
  }
}

Routes::Match Routes::match(const Window& window) const {
  std::shared_lock lock(mutex_);
  Match match;
  if (window.empty()) return match;
  Marks marks(by_place_.size(), modules_.size());
  marks.set(everything_);
  for (const Event& event : window) {
    if (event.source == "filesystem") {
      file(event, marks);
    } else if (event.source == "memory") {
      memory(event, marks);
    } else if (event.source == "time") {
      marks.set(ticks_);
    } else {
      other(event, marks);
    }
    match.all = marks.full();
    if (match.all) return match;
  }
  for (const auto& [name, module] : modules_) {
    if (marks[module.place]) match.modules.push_back(name);
  }
  return match;
}

}  // namespace prefrontal::pulse
