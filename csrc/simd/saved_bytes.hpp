// Numbers and texts as little-endian bytes between a magic word with a version and a checksum.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "csrc/simd/checksum.hpp"

namespace prefrontal::simd {

static_assert(std::endian::native == std::endian::little, "saved bytes are little-endian");

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// UTF-8, in which surrogates may stand as they do in a Python text.
inline bool is_text(std::string_view bytes) {
  constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  for (std::size_t at = 0; at < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[at++]);
    if (lead < 0x80U) continue;
    const std::size_t more = lead >= 0xF0U ? 3 : lead >= 0xE0U ? 2 : 1;
    if (lead < 0xC0U || lead >= 0xF8U || bytes.size() - at < more) return false;
    std::uint32_t letter = lead & (0x3FU >> more);
    for (std::size_t i = 0; i < more; ++i, ++at) {
      const auto next = static_cast<unsigned char>(bytes[at]);
      if ((next & 0xC0U) != 0x80U) return false;
      letter = (letter << 6U) | (next & 0x3FU);
    }
    if (letter < least[more] || letter > 0x10FFFFU) return false;
  }
  return true;
}

class SavedWriter {
 public:
  SavedWriter(std::string_view magic, std::uint32_t version) : bytes_(magic) { number(version); }

  template <class T>
  void number(T value) {
    append(bytes_, value);
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    raw(value);
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  // The bytes with their checksum; nothing is written after it.
  std::string finished() {
    number(crc32(bytes_));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

// Reads the version, then `verify`, then what stands between the version and the checksum. Throws
// std::invalid_argument, "<name> must ...", for bytes that are not whole.
class SavedReader {
 public:
  SavedReader(std::string_view name, std::string_view bytes, std::string_view magic)
      : name_(name), whole_(bytes) {
    if (bytes.size() < magic.size() + 8 || !bytes.starts_with(magic))
      refuse("start with " + std::string(magic) + ", got something else");
    left_ = bytes.substr(magic.size(), bytes.size() - magic.size() - 4);
  }

  void verify() const {
    std::uint32_t stated = 0;
    std::memcpy(&stated, whole_.data() + whole_.size() - 4, 4);
    expect(crc32(whole_.substr(0, whole_.size() - 4)) == stated,
           "match its checksum, got a damaged one");
  }

  bool empty() const { return left_.empty(); }
  void expect(bool holds, const char* rule) const {
    if (!holds) refuse(rule);
  }

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
  [[noreturn]] void refuse(const std::string& rule) const {
    throw std::invalid_argument(std::string(name_) + " must " + rule);
  }
  std::string_view take(std::size_t n) {
    expect(left_.size() >= n, "be whole, got a cut one");
    const std::string_view taken = left_.substr(0, n);
    left_.remove_prefix(n);
    return taken;
  }

  std::string_view name_;
  std::string_view whole_;
  std::string_view left_;
};

}  // namespace prefrontal::simd
