// Numbers and texts as little-endian bytes between a magic word with a version and a checksum.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "csrc/simd/checksum.hpp"

namespace prefrontal::cortex {

static_assert(std::endian::native == std::endian::little, "saved engines are little-endian");

// Throws std::invalid_argument unless `holds`.
inline void expect(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("saved engine must ") + what);
}

class Writer {
 public:
  Writer(std::string_view magic, std::uint32_t version) : bytes_(magic) { number(version); }

  template <class T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
  }
  // The bytes with their checksum; nothing is written after it.
  std::string finished() {
    number(simd::crc32(bytes_));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

class Reader {
 public:
  // Throws std::invalid_argument for bytes that are not whole, or of another magic or version.
  Reader(std::string_view bytes, std::string_view magic, std::uint32_t version) {
    expect(bytes.size() >= magic.size() + 8 && bytes.starts_with(magic),
           "start with its magic word, got other or too few bytes");
    left_ = bytes.substr(magic.size());
    expect(number<std::uint32_t>() == version, "be of this version, got another");
    std::uint32_t stated = 0;
    std::memcpy(&stated, bytes.data() + bytes.size() - 4, 4);
    expect(simd::crc32(bytes.substr(0, bytes.size() - 4)) == stated,
           "match its checksum, got a damaged one");
    left_.remove_suffix(4);
  }

  bool empty() const { return left_.empty(); }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  bool flag() {
    const auto value = number<std::uint8_t>();
    expect(value <= 1, "hold flags of 0 or 1, got another");
    return value == 1;
  }
  std::string_view text() { return take(number<std::uint32_t>()); }

 private:
  std::string_view take(std::size_t n) {
    expect(left_.size() >= n, "be whole, got a cut one");
    const std::string_view taken = left_.substr(0, n);
    left_.remove_prefix(n);
    return taken;
  }

  std::string_view left_;
};

}  // namespace prefrontal::cortex
