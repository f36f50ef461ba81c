// Which modules a window concerns at all, decided by place, kind and source before any scoring.
//
//   file event     modules that watch a folder above it and do not call its kind irrelevant
//   memory event   modules that watch its namespace or one above it
//   time event     modules that declared active hours
//   other sources  modules that declared the source and what they want of it
//
// A module that declares nothing gets everything. A window goes where any of its events goes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/pulse/event.hpp"
#include "csrc/pulse/source_interest.hpp"

namespace prefrontal::pulse {

struct Interests {
  std::vector<std::string> directories;
  std::vector<std::string> irrelevant_extensions;  // ".tmp", ".tar.gz"; A to Z count as a to z
  std::vector<std::string> namespaces;
  bool ticks = false;
  std::vector<SourceInterest> sources = {};
  bool undeclared = false;  // other sources reach it whatever it declared, as they once did

  bool everything() const {
    return directories.empty() && namespaces.empty() && !ticks && sources.empty();
  }
};

// Safe to use from several threads. What throws changes nothing.
class Routes {
 public:
  void add(const std::string& module, Interests interests);  // replaces one of the same name
  void add_all(std::span<const std::string> modules);        // they declare nothing
  bool remove(const std::string& module) noexcept;           // false when there was none
  std::vector<std::string> modules() const;                  // sorted by name
  struct Match {
    bool all = false;                  // every module there is; `modules` is empty then
    std::vector<std::string> modules;  // sorted by name
  };
  Match match(const Window& window) const;

 private:
  using Place = std::uint32_t;  // of a module

  // Path parts: "/srv/a" is "/", "srv", "a". A module stands where its folder ends.
  using Parts = std::vector<std::string_view>;
  struct Node {
    Node* parent = nullptr;
    std::string_view name;  // among the parent's children
    std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
    std::vector<Place> places;

    void insert(const Parts& path, Place place);
    void erase(const Parts& path, Place place) noexcept;
    template <class Visit>
    void above(std::string_view path, Visit&& visit) const;

   private:
    void prune() noexcept;  // this node and those above it, as far as nobody needs them
  };
  struct Module {
    Place place = 0;
    Interests interests;
    std::vector<Parts> directories;              // of the interests, as are
    std::vector<Parts> namespaces;               // these
    std::set<std::string, std::less<>> refused;  // irrelevant extensions in lower case
  };
  using Modules = std::map<std::string, Module, std::less<>>;
  class Marks;

  void prepare(Modules& fresh, const std::string& name, Interests interests);
  void enter(Module& module);
  void put_in_place_of_old(Modules& fresh) noexcept;
  void forget(const Module& module) noexcept;
  void file(const Event& event, Marks& marks) const;
  void memory(const Event& event, Marks& marks) const;
  void other(const Event& event, Marks& marks) const;
  void other(std::string_view source, const Event& event, Marks& marks) const;

  Modules modules_;
  std::vector<const Module*> by_place_;  // null where nobody stands
  std::vector<Place> everything_;
  std::vector<Place> ticks_;
  std::vector<Place> undeclared_;
  std::map<std::string, std::vector<Place>, std::less<>> sources_;  // "" is any name of one's own
  Node directories_;
  Node namespaces_;
  mutable std::shared_mutex mutex_;
};

}  // namespace prefrontal::pulse
