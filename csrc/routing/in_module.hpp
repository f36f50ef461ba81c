// Files that lie in this module as they are; they have no pointers.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

// Puts the file at `path` between the symbols `name` and `name`_end.
#define PREFRONTAL_IN_MODULE(name, path) \
  asm(".section .rodata\n"               \
      ".balign 64\n"                     \
      ".globl " #name                    \
      "\n"                               \
      ".hidden " #name "\n" #name        \
      ":\n"                              \
      ".incbin \"" path                  \
      "\"\n"                             \
      ".globl " #name                    \
      "_end\n"                           \
      ".hidden " #name "_end\n" #name    \
      "_end:\n"                          \
      ".text\n");                        \
  extern "C" const std::uint8_t name[];  \
  extern "C" const std::uint8_t name##_end[]

namespace prefrontal::routing {

// Throws std::runtime_error where the file is not as it was built.
template <class T>
T in_module(std::span<const std::uint8_t> file) {
  try {
    return T(file);
  } catch (const std::invalid_argument& fault) {
    throw std::runtime_error(
        std::string("this build of prefrontal is damaged, install it again: ") + fault.what());
  }
}

}  // namespace prefrontal::routing
