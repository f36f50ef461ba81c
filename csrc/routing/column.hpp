// A row of plain values that either lies in memory of its own or in a mapped file.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace prefrontal::routing {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(std::vector<T> values) : owned_(std::move(values)), view_(owned_) {}  // NOLINT
  Column(std::span<const T> mapped) : view_(mapped) {}                         // NOLINT
  Column(Column&& other) noexcept { *this = std::move(other); }
  Column& operator=(Column&& other) noexcept {
    const bool owns = !other.owned_.empty();
    owned_ = std::move(other.owned_);
    view_ = owns ? std::span<const T>(owned_) : other.view_;
    other.owned_.clear();
    other.view_ = {};
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  const T& operator[](std::size_t i) const { return view_[i]; }
  const T* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }
  std::span<const T> span() const { return view_; }
  std::span<const T> part(std::size_t first, std::size_t last) const {
    return view_.subspan(first, last - first);
  }

 private:
  std::vector<T> owned_;
  std::span<const T> view_;
};

}  // namespace prefrontal::routing
