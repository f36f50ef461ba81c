// A seccomp filter under construction: a list of "refuse this call (when ...)", then "allow".
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <vector>

namespace prefrontal::sandbox {

// Arguments are compared by their lower 32 bits: every argument asked for here is an int, flags
// below 2^32 or a mode. A call of another instruction set's numbering kills the process; a number
// younger than this file is answered ENOSYS.
class FilterProgram {
 public:
  using Values = std::vector<unsigned>;

  FilterProgram();

  void refuse(int call, int error);
  void refuse_if(int call, int argument, std::span<const unsigned> values, int error);
  void refuse_if_any(int call, int argument, unsigned bits, int error);
  void refuse_if_masked(int call, int argument, unsigned mask, const Values& values, int error);
  void refuse_unless(int call, int argument, std::span<const unsigned> values, int error);
  void refuse_unless(int call, int argument, const Values& values, int error);
  void refuse_unless_masked(int call, int argument, unsigned mask, const Values& values, int error);

  // Throws Failure.
  void install();

 private:
  void refuse_when(int call, int argument, unsigned mask, std::span<const unsigned> values,
                   bool listed, int error);
  void add(std::uint16_t code, std::uint32_t value, std::size_t yes = 0, std::size_t no = 0);

  std::vector<sock_filter> lines_;
};

}  // namespace prefrontal::sandbox
