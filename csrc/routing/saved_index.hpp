// An index as a file of named sections that can be mapped: little-endian, each section at a
// multiple of 64 bytes, a header with version, size and a checksum over all the rest.
//
//   "PFTI" | version u32 | bytes u64 | checksum u64 | sections u64 | {id u64, start u64, bytes
//   u64}...
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/routing/column.hpp"

namespace prefrontal::routing {

// The file cannot be read, or is no index of this version, or was damaged. The text says which,
// without naming the file.
struct UnreadableIndex : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void expect(bool holds) {
  if (!holds) throw UnreadableIndex("its parts do not fit together");
}

enum class Section : std::uint64_t;

// Collects sections; they must live until `bytes` is called.
class IndexWriter {
 public:
  template <class T>
  void add(Section id, const Column<T>& column) {
    add(id, column.span());
  }
  template <class T>
  void add(Section id, std::span<const T> values) {
    sections_.emplace_back(id, std::as_bytes(values));
  }
  template <class T>
  void add(Section id, const std::vector<T>& values) {
    add(id, std::span<const T>(values));
  }
  std::string bytes() const;

 private:
  std::vector<std::pair<Section, std::span<const std::byte>>> sections_;
};

// A mapped file; spans into it live as long as it does.
class MappedIndex {
 public:
  // Throws UnreadableIndex.
  explicit MappedIndex(const std::string& path);
  ~MappedIndex();
  MappedIndex(const MappedIndex&) = delete;
  MappedIndex& operator=(const MappedIndex&) = delete;

  // Empty where the file has no such section; throws UnreadableIndex where its size is no
  // multiple of T's.
  template <class T>
  std::span<const T> section(Section id) const {
    const std::span<const std::byte> bytes = find(id);
    if (bytes.size() % sizeof(T) != 0) throw UnreadableIndex("it holds a section of an odd size");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

 private:
  std::span<const std::byte> find(Section id) const;
  void check() const;

  const std::byte* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace prefrontal::routing
