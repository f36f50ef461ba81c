// One signal as the kernels see it: views into memory that the caller keeps alive.
#pragma once

#include <string_view>
#include <vector>

namespace prefrontal::pulse {

// One entry of an event's open-ended features, already told apart by kind.
struct Attribute {
  enum class Kind { text, number };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view text;
  double number = 0.0;
};

struct Event {
  std::string_view source;
  std::string_view location;
  std::string_view delta_type;
  double magnitude = 0.0;
  double timestamp = 0.0;

  std::string_view extension;  // as given, case kept; empty when the source did not say
  double size_bytes = 0.0;
  double directory_depth = 0.0;
  double hour_sin = 0.0;
  double hour_cos = 0.0;
  double dow_sin = 0.0;
  double dow_cos = 0.0;
  double minutes_since_last_activation = 0.0;
  std::string_view name_space;    // of the agent's memory
  std::string_view key;           // in it
  double value_length = 0.0;      // of what the key stands for
  std::string_view endpoint;      // of the network
  double status_code = 0.0;       // it answered
  std::string_view content_hash;  // of its answer; empty when not given, like the previous one
  std::string_view previous_hash;
  std::string_view actor;
  std::string_view text;
  std::vector<Attribute> attributes;  // every other scalar entry, in the caller's order
  std::vector<Attribute> places;      // texts that routes look at, however long; not of files
};

using Window = std::vector<Event>;

}  // namespace prefrontal::pulse
