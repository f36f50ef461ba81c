// Memory in advance: what takes it before its first change cannot fail half way.
#pragma once

#include <algorithm>
#include <cstddef>

namespace prefrontal::simd {

// Room for `more` in each of the vectors, which grow by doubling as ever.
void make_room(std::size_t more, auto&... lists) {
  const auto grow = [more](auto& list) {
    if (list.capacity() - list.size() < more)
      list.reserve(std::max(list.size() + more, 2 * list.size()));
  };
  (grow(lists), ...);
}

}  // namespace prefrontal::simd
