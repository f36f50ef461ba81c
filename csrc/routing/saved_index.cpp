#include "csrc/routing/saved_index.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace prefrontal::routing {
namespace {

static_assert(std::endian::native == std::endian::little, "saved indexes are little-endian");

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostSections = 256;

struct Header {
  char magic[4] = {'P', 'F', 'T', 'I'};
  std::uint32_t version = kVersion;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // of all that follows this number
  std::uint64_t sections = 0;
};
constexpr std::size_t kChecked = offsetof(Header, sections);

struct Entry {
  std::uint64_t id;
  std::uint64_t start;
  std::uint64_t bytes;
};

std::size_t aligned(std::size_t at) { return (at + kAlignment - 1) / kAlignment * kAlignment; }

// Four streams of multiply and rotate, so that a 25 MB file is checked in milliseconds. Any
// changed bit changes its stream. `size` is a multiple of 8.
std::uint64_t checksum(const std::byte* bytes, std::size_t size) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  std::array<std::uint64_t, 4> streams{size, 1, 2, 3};
  std::size_t i = 0;
  const auto mix = [&](std::size_t stream, std::size_t at) {
    std::uint64_t block = 0;
    std::memcpy(&block, bytes + at, 8);
    streams[stream] = std::rotl((streams[stream] ^ block) * kOdd, 29);
  };
  for (; i + 32 <= size; i += 32) {
    for (std::size_t stream = 0; stream < 4; ++stream) mix(stream, i + 8 * stream);
  }
  for (; i + 8 <= size; i += 8) mix(0, i);
  std::uint64_t sum = 0;
  for (const std::uint64_t stream : streams) sum = std::rotl((sum ^ stream) * kOdd, 31);
  return sum;
}

struct OpenFile {
  int descriptor;
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
};

}  // namespace

std::string IndexWriter::bytes() const {
  std::vector<Entry> entries;
  std::size_t at = aligned(sizeof(Header) + sections_.size() * sizeof(Entry));
  for (const auto& [id, values] : sections_) {
    entries.push_back({static_cast<std::uint64_t>(id), at, values.size()});
    at = aligned(at + values.size());
  }
  std::string out(at, '\0');
  Header header;
  header.bytes = at;
  header.sections = sections_.size();
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, entries.data(), entries.size() * sizeof(Entry));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::span<const std::byte> values = sections_[i].second;
    if (!values.empty()) std::memcpy(out.data() + entries[i].start, values.data(), values.size());
  }
  header.checksum =
      checksum(reinterpret_cast<const std::byte*>(out.data()) + kChecked, at - kChecked);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

MappedIndex::MappedIndex(const std::string& path) {
  const OpenFile file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status{};
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0) {
    throw UnreadableIndex(std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) throw UnreadableIndex("it is not a plain file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ < sizeof(Header)) throw UnreadableIndex("it is not an index of tools");
  int flags = MAP_PRIVATE;
#ifdef MAP_POPULATE
  flags |= MAP_POPULATE;
#endif
  void* mapped = mmap(nullptr, size_, PROT_READ, flags, file.descriptor, 0);
  if (mapped == MAP_FAILED) throw UnreadableIndex(std::strerror(errno));
  start_ = static_cast<const std::byte*>(mapped);
  try {
    check();
  } catch (...) {
    munmap(mapped, size_);
    throw;
  }
}

MappedIndex::~MappedIndex() { munmap(const_cast<std::byte*>(start_), size_); }

void MappedIndex::check() const {
  Header header;
  std::memcpy(&header, start_, sizeof header);
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0) {
    throw UnreadableIndex("it is not an index of tools");
  }
  if (header.version != kVersion) {
    throw UnreadableIndex("its version must be " + std::to_string(kVersion) + ", got " +
                          std::to_string(header.version));
  }
  if (header.bytes != size_ || size_ % kAlignment != 0) {
    throw UnreadableIndex("it must be " + std::to_string(header.bytes) + " bytes long, got " +
                          std::to_string(size_));
  }
  if (checksum(start_ + kChecked, size_ - kChecked) != header.checksum ||
      header.sections > kMostSections || sizeof(Header) + header.sections * sizeof(Entry) > size_) {
    throw UnreadableIndex("it does not match its checksum");
  }
}

std::span<const std::byte> MappedIndex::find(Section id) const {
  Header header;
  std::memcpy(&header, start_, sizeof header);
  for (std::uint64_t i = 0; i < header.sections; ++i) {
    Entry entry;
    std::memcpy(&entry, start_ + sizeof(Header) + i * sizeof(Entry), sizeof entry);
    if (entry.id != static_cast<std::uint64_t>(id)) continue;
    if (entry.start % kAlignment != 0 || entry.start > size_ || entry.bytes > size_ - entry.start) {
      throw UnreadableIndex("it does not match its checksum");
    }
    return {start_ + entry.start, entry.bytes};
  }
  return {};
}

}  // namespace prefrontal::routing
