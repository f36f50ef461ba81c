// 64-bit keys of one-hot features: FNV-1a over the bytes, finished with a mix that holds the kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prefrontal::pulse {

// The order is part of every saved model: append, never reorder.
enum class Kind : std::uint8_t {
  bias,
  source,
  delta,
  extension,
  directory,
  name,
  token,
  actor,
  word,
  words,
  count,
  only_extension,
  only_directory,
  directories,
  extensions,
  file_kinds,
  hour,
  weekday,
  span,
  gap,
  size,
  idle,
  magnitude,
  attribute,
  rule,
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::rule) + 1;

std::string_view kind_name(Kind kind);
Kind kind_of(std::string_view name);  // throws std::invalid_argument for an unknown name

inline constexpr std::uint64_t kHashStart = 0xCBF29CE484222325ULL;

inline std::uint64_t hash_byte(std::uint64_t state, char byte) {
  return (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t state = kHashStart) {
  for (char byte : bytes) state = hash_byte(state, byte);
  return state;
}

inline std::uint64_t finish_key(Kind kind, std::uint64_t state) {
  state ^= (static_cast<std::uint64_t>(kind) + 1) * 0x9E3779B97F4A7C15ULL;
  state = (state ^ (state >> 33)) * 0xFF51AFD7ED558CCDULL;
  state = (state ^ (state >> 33)) * 0xC4CEB9FE1A85EC53ULL;
  state ^= state >> 33;
  return state == 0 ? 1 : state;  // 0 marks an empty place in the feature table
}

inline std::uint64_t key_of(Kind kind, std::string_view value) {
  return finish_key(kind, hash_bytes(value));
}

}  // namespace prefrontal::pulse
