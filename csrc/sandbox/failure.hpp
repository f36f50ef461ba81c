// What went wrong before untrusted code was started; whoever catches it starts nothing.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace prefrontal::sandbox {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(const std::string& what) {
  throw Failure(what + ": " + std::strerror(errno));
}

// Hands back what a system call gave; throws Failure with errno's sentence for -1.
inline long checked(long result, const std::string& what) {
  if (result == -1) fail(what);
  return result;
}

}  // namespace prefrontal::sandbox
