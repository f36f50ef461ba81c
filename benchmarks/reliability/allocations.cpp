// Refuses one allocation of C++ code in this thread, once it is armed: LD_PRELOAD.
#include <cstdlib>
#include <new>

namespace {
thread_local bool armed = false;
thread_local long seen = 0;
thread_local long refused = 0;  // the number of the allocation that fails; 0 for none

bool fails() { return armed && ++seen == refused; }

void* taken(std::size_t size) { return std::malloc(size == 0 ? 1 : size); }

void* taken(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}

template <typename... Facts>
void* made(Facts... facts) {
  void* memory = fails() ? nullptr : taken(facts...);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

extern "C" void allocations_arm(long number) {
  seen = 0;
  refused = number;
  armed = true;
}

extern "C" long allocations_disarm() {
  armed = false;
  return seen;
}

void* operator new(std::size_t size) { return made(size); }
void* operator new[](std::size_t size) { return made(size); }
void* operator new(std::size_t size, std::align_val_t step) { return made(size, step); }
void* operator new[](std::size_t size, std::align_val_t step) { return made(size, step); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : taken(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : taken(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
