// Stems in a file, each once and in the order of their bytes.
//
//   starts u32 each and one more | letters
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace prefrontal::routing {

template <class T>
T number_at(const std::uint8_t* at) {
  T out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

class StemTable {
 public:
  StemTable() = default;
  // `starts` must stay, and hold what `bytes` says. Throws std::invalid_argument, where `what` is
  // the name of the file, unless the stems are as they must be.
  StemTable(const std::uint8_t* starts, std::uint32_t stems, std::uint32_t letters,
            const std::string& what);

  static std::uint64_t bytes(std::uint32_t stems, std::uint32_t letters) {
    return 4 * (std::uint64_t{stems} + 1) + letters;
  }
  std::uint32_t size() const { return stems_; }
  std::string_view stem(std::uint32_t at) const {
    return {reinterpret_cast<const char*>(letters_) + start(at), start(at + 1) - start(at)};
  }
  std::uint32_t find(std::string_view stem) const;  // size() where there is none

 private:
  std::uint32_t start(std::uint32_t at) const {
    return number_at<std::uint32_t>(starts_ + 4 * std::size_t{at});
  }

  std::uint32_t stems_ = 0;
  const std::uint8_t* starts_ = nullptr;
  const std::uint8_t* letters_ = nullptr;
};

}  // namespace prefrontal::routing
