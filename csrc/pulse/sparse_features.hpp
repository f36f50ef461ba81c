// A window as a set of one-hot features: what kinds of files, where, named how, by whom, when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csrc/pulse/civil_time.hpp"
#include "csrc/pulse/event.hpp"
#include "csrc/pulse/key.hpp"

namespace prefrontal::pulse {

inline constexpr std::size_t kMaxEvents = 256;     // of a window; later ones only count
inline constexpr std::size_t kMaxFeatures = 1024;  // of a window

struct Key {
  std::uint64_t value;
  Kind kind;  // whose rates it learns with; not always the kind that is part of the value
};
using Keys = std::vector<Key>;

struct NamedFeature {
  std::uint64_t key;
  std::string name;  // "extension=.py", "word=fix"
};

// How a window is read. commit_files: an event of git that names its path in the repository is that
// file, as a replayed history tells of it; otherwise it is news of some source.
struct Reading {
  Zone zone = Zone::local;
  bool commit_files = false;
};

// Whether any event is a file of a commit, so that the two ways to read it differ.
bool holds_commit_files(const Window& window);

// Replaces `keys` by the window's distinct keys, in a fixed order. Empty for an empty window.
void extract_keys(const Window& window, Reading reading, Keys& keys);

// The same keys in the same order, each with what a person reads.
std::vector<NamedFeature> extract_named(const Window& window, Reading reading);

// A-Z as a-z; every other byte stays.
std::string lower_case(std::string_view text);

// The part of a name that decides its kind: ".py" of "a.b.PY" (lower case), "" of ".bashrc".
std::string lower_extension(std::string_view name);

// The last two suffixes, ".tar.gz" or ".test.ts", when the first is a word of at most 6 letters.
std::string double_extension(std::string_view name);

// code, tests, docs, config or other: a coarse guess from folder, name and extension.
std::string_view file_kind(std::string_view location, std::string_view lower_ext);

}  // namespace prefrontal::pulse
