#include "csrc/pulse/sparse_features.hpp"

#include <algorithm>
#include <cmath>

#include "csrc/pulse/words.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::size_t kDirectoryDepth = 16;  // directory prefixes of one location
constexpr std::size_t kMaxCombined = 4;      // members named by one combination feature
constexpr std::size_t kOfTheWhole = 8;       // features of the window itself; they always have room

// Remembers which keys were seen; one per thread, cleared by moving the epoch on.
class SeenKeys {
 public:
  void clear() {
    if (++epoch_ == 0) {
      std::fill(epochs_.begin(), epochs_.end(), 0U);
      epoch_ = 1;
    }
  }
  bool insert(std::uint64_t key) {
    std::size_t at = key & (kPlaces - 1);
    while (epochs_[at] == epoch_) {
      if (keys_[at] == key) return false;
      at = (at + 1) & (kPlaces - 1);
    }
    epochs_[at] = epoch_;
    keys_[at] = key;
    return true;
  }

 private:
  static constexpr std::size_t kPlaces = 4096;  // four times what one window may hold
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(kPlaces);
  std::vector<std::uint32_t> epochs_ = std::vector<std::uint32_t>(kPlaces);
  std::uint32_t epoch_ = 0;
};

struct KeySink {
  static constexpr bool kNamed = false;
  Keys& keys;
  std::size_t size() const { return keys.size(); }
  void add(std::uint64_t key, Kind, Kind role, std::string_view) { keys.push_back({key, role}); }
};

struct NameSink {
  static constexpr bool kNamed = true;
  std::vector<NamedFeature>& features;
  std::size_t size() const { return features.size(); }
  void add(std::uint64_t key, Kind kind, Kind, std::string_view value) {
    features.push_back({key, std::string(kind_name(kind)) + "=" + std::string(value)});
  }
};

std::size_t count_bucket(std::size_t n) {  // 1 2 3 4-5 6-7 8-11 12-15 16+
  static constexpr std::size_t kFrom[] = {2, 3, 4, 6, 8, 12, 16};
  return static_cast<std::size_t>(std::upper_bound(std::begin(kFrom), std::end(kFrom), n) -
                                  std::begin(kFrom));
}

// Buckets that double: "2^k" holds [2^k, 2^(k+1)); below 1 is "0", negatives carry their sign.
std::string doubling_bucket(double value) {
  if (!std::isfinite(value)) return "unknown";
  const double size = std::fabs(value);
  if (size < 1.0) return "0";
  return std::string(value < 0 ? "-2^" : "2^") + std::to_string(std::ilogb(size));
}

struct Place {
  std::string_view directory;  // "" at the top
  std::string_view name;
};

Place split_location(std::string_view location) {
  while (location.size() > 1 && location.back() == '/') location.remove_suffix(1);
  const std::size_t slash = location.rfind('/');
  if (slash == std::string_view::npos) return {"", location};
  return {location.substr(0, std::max<std::size_t>(slash, 1)), location.substr(slash + 1)};
}

// Of a file of a commit; "" of any other event.
std::string_view path_in_repository(const Event& e) {
  if (e.source != "git") return {};
  for (const Attribute& place : e.places)
    if (place.name == "path") return place.text;
  return {};
}

template <class Sink>
class Extraction {
 public:
  Extraction(const Window& window, Reading reading, Sink sink)
      : window_(window), reading_(reading), sink_(sink) {
    seen().clear();
  }

  void run() {
    const std::size_t n = std::min(window_.size(), kMaxEvents);
    for (std::size_t i = 0; i < n; ++i) event(window_[i]);
    room_ = kMaxFeatures;
    together();
    when();
  }

 private:
  static SeenKeys& seen() {
    thread_local SeenKeys keys;
    return keys;
  }

  void emit(Kind kind, Kind role, std::uint64_t state, std::string_view value) {
    const std::uint64_t key = finish_key(kind, state);
    if (sink_.size() < room_ && seen().insert(key)) sink_.add(key, kind, role, value);
  }
  void emit(Kind kind, std::uint64_t state, std::string_view value) {
    emit(kind, kind, state, value);
  }
  void emit(Kind kind, std::string_view value) { emit(kind, hash_bytes(value), value); }

  void event(const Event& e) {
    emit(Kind::source, e.source);
    emit(Kind::delta, e.delta_type);
    const std::string_view path = reading_.commit_files ? path_in_repository(e) : "";
    const std::string_view location = path.empty() ? e.location : path;
    const Place place = split_location(location);
    const bool file = !path.empty() || e.source == "filesystem";
    if (file) {
      const bool given = path.empty() && !e.extension.empty();
      const std::string extension = given ? lower_case(e.extension) : lower_extension(place.name);
      emit(Kind::extension, extension);
      if (const std::string both = double_extension(place.name); !both.empty())
        emit(Kind::extension, both);
      remember(kinds_, file_kind(location, extension));
      remember(extensions_, extension);
      if (e.size_bytes > 0.0) emit(Kind::size, doubling_bucket(e.size_bytes));
    } else {
      emit(Kind::magnitude, doubling_bucket(e.magnitude * 8.0));
    }
    directories(place.directory);
    // A log, a feed, a repository: what is told apart there is the text, the name is where it is.
    const bool holder = !file && !e.text.empty();
    emit(Kind::name, holder ? Kind::directory : Kind::name, hash_bytes(place.name), place.name);
    for_each_word(stem(place.name, file), false, [&](std::uint64_t state, std::string_view word) {
      emit(Kind::token, holder ? Kind::directory : Kind::token, state, word);
    });
    if (e.source == "time") emit(Kind::idle, doubling_bucket(e.minutes_since_last_activation));
    said(e);
    for (const Attribute& a : e.attributes) {
      if (path.empty())
        attribute(a.name, a);
      else
        attribute_of_commit(a);
    }
  }

  void directories(std::string_view directory) {
    const bool absolute = directory.starts_with("/");
    remember(places_, absolute ? directory : directory.substr(0, directory.find('/')));
    if (directory.empty()) return emit(Kind::directory, ".");
    std::uint64_t state = kHashStart;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < directory.size() && depth < kDirectoryDepth; ++i) {
      if (directory[i] == '/' && i > 0) {
        emit(Kind::directory, state, directory.substr(0, i));
        ++depth;
      }
      state = hash_byte(state, directory[i]);
    }
    if (depth < kDirectoryDepth) emit(Kind::directory, state, directory);
  }

  // Actor and text are usually the same object on every event of a window.
  void said(const Event& e) {
    if (!e.actor.empty() && e.actor.data() != last_actor_) emit(Kind::actor, e.actor);
    last_actor_ = e.actor.data();
    if (e.text.empty() || e.text.data() == last_text_) return;
    last_text_ = e.text.data();
    std::uint64_t before = hash_bytes("^");
    std::string before_word = "^";
    auto pair = [&](std::uint64_t state, std::string_view word) {
      const std::uint64_t both = (before * 0x9E3779B97F4A7C15ULL) ^ state;
      std::string shown;
      if constexpr (Sink::kNamed) shown = before_word + " " + std::string(word);
      emit(Kind::words, both, shown);
      before = state;
      if constexpr (Sink::kNamed) before_word = word;
    };
    for_each_word(e.text, true, [&](std::uint64_t state, std::string_view word) {
      emit(Kind::word, state, word);
      pair(state, word);
    });
    pair(hash_bytes("$"), "$");
  }

  // As a replayed history tells it: where a file was before, in the repository. Which repository
  // and branch is told besides, as what many windows share; which commit is no word of any other.
  void attribute_of_commit(const Attribute& a) {
    if (a.name == "commit" || a.name == "old_location") return;
    if (a.name == "old_path") return attribute("old_location", a);
    const bool shared = a.name == "repository" || a.name == "branch";
    attribute(a.name, a, shared ? Kind::directory : Kind::attribute);
  }

  void attribute(std::string_view name, const Attribute& a, Kind role = Kind::attribute) {
    std::string value(name);
    value += '=';
    if (a.kind == Attribute::Kind::text) {
      value += a.text;
    } else if (a.number == std::floor(a.number) && std::fabs(a.number) < 1000.0) {
      value += std::to_string(static_cast<int>(a.number));
    } else {
      value += doubling_bucket(a.number);
    }
    emit(Kind::attribute, role, hash_bytes(value), value);
  }

  static void remember(std::vector<std::string>& set, std::string_view value) {
    if (std::find(set.begin(), set.end(), value) == set.end()) set.emplace_back(value);
  }

  void combination(Kind only, Kind all, std::vector<std::string>& set) {
    if (set.empty()) return;
    if (set.size() == 1 && only != all) return emit(only, set[0].empty() ? "none" : set[0]);
    std::sort(set.begin(), set.end());
    std::string joined;
    for (std::size_t i = 0; i < std::min(set.size(), kMaxCombined); ++i) {
      if (i > 0) joined += '+';
      joined += set[i].empty() ? "none" : set[i];
    }
    emit(all, joined);
  }

  void together() {
    static constexpr std::string_view kCounts[] = {"1",   "2",    "3",     "4-5",
                                                   "6-7", "8-11", "12-15", "16+"};
    emit(Kind::count, kCounts[count_bucket(window_.size())]);
    combination(Kind::only_extension, Kind::extensions, extensions_);
    combination(Kind::only_directory, Kind::directories, places_);
    combination(Kind::file_kinds, Kind::file_kinds, kinds_);
  }

  void when() {
    const Event& last = window_.back();
    CivilTime civil;
    if (last.source == "time")
      civil = civil_time(last.hour_sin, last.hour_cos, last.dow_sin, last.dow_cos);
    if (!civil.valid) civil = civil_time(last.timestamp, reading_.zone);
    if (civil.valid) {
      static constexpr std::string_view kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
      emit(Kind::hour, std::to_string(civil.hour));
      emit(Kind::weekday, kDays[civil.weekday]);
    }
    if (window_.size() < 2) return;
    const double span = last.timestamp - window_.front().timestamp;
    const double gap = last.timestamp - window_[window_.size() - 2].timestamp;
    if (span > 0.0) {
      emit(Kind::span, doubling_bucket(span));
      emit(Kind::gap, doubling_bucket(gap));
    }
  }

  static std::string_view stem(std::string_view name, bool file) {
    const std::size_t dot = file ? name.rfind('.') : std::string_view::npos;
    return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
  }

  const Window& window_;
  Reading reading_;
  Sink sink_;
  std::size_t room_ = kMaxFeatures - kOfTheWhole;
  std::vector<std::string> extensions_;
  std::vector<std::string> places_;
  std::vector<std::string> kinds_;
  const char* last_actor_ = nullptr;
  const char* last_text_ = nullptr;
};

}  // namespace

bool holds_commit_files(const Window& window) {
  return std::ranges::any_of(window, [](const Event& e) { return !path_in_repository(e).empty(); });
}

void extract_keys(const Window& window, Reading reading, Keys& keys) {
  keys.clear();
  if (!window.empty()) Extraction<KeySink>(window, reading, KeySink{keys}).run();
}

std::vector<NamedFeature> extract_named(const Window& window, Reading reading) {
  std::vector<NamedFeature> features;
  if (!window.empty()) Extraction<NameSink>(window, reading, NameSink{features}).run();
  return features;
}

}  // namespace prefrontal::pulse
