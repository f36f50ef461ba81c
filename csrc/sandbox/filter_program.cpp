#include "csrc/sandbox/filter_program.hpp"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

#if defined(__x86_64__)
constexpr unsigned kProcessor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kProcessor = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox knows the system calls of x86-64 and aarch64"
#endif

constexpr unsigned kYoungest = 450;  // newer calls have one number on every processor
constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kGreater = BPF_JMP | BPF_JGT | BPF_K;
constexpr std::uint16_t kAnd = BPF_ALU | BPF_AND | BPF_K;
constexpr std::uint16_t kAnswer = BPF_RET | BPF_K;
constexpr unsigned kNumber = offsetof(seccomp_data, nr);

unsigned low_half(int argument) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  return static_cast<unsigned>(offsetof(seccomp_data, args)) + 8U * static_cast<unsigned>(argument);
}

unsigned error_answer(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<unsigned>(error) & SECCOMP_RET_DATA);
}

}  // namespace

FilterProgram::FilterProgram() {
  add(kLoad, offsetof(seccomp_data, arch));
  add(kEqual, kProcessor, 1, 0);
  add(kAnswer, SECCOMP_RET_KILL_PROCESS);
  add(kLoad, kNumber);
  add(kGreater, kYoungest, 0, 1);  // the x32 numbers of x86-64 are above too
  add(kAnswer, error_answer(ENOSYS));
}

void FilterProgram::add(std::uint16_t code, std::uint32_t value, std::size_t yes, std::size_t no) {
  lines_.push_back({code, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), value});
}

void FilterProgram::refuse(int call, int error) {
  add(kEqual, static_cast<unsigned>(call), 0, 1);
  add(kAnswer, error_answer(error));
}

// Between two rules the accumulator holds the number of the call.
void FilterProgram::refuse_when(int call, int argument, unsigned mask,
                                std::span<const unsigned> values, bool listed, int error) {
  add(kEqual, static_cast<unsigned>(call), 0, values.size() + 4);
  add(kLoad, low_half(argument));
  add(kAnd, mask);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t left = values.size() - i - 1;
    // Found: to the answer when listed values are refused, else past it. None found: the reverse.
    add(kEqual, values[i], listed ? left : left + 1, listed && left == 0 ? 1 : 0);
  }
  add(kAnswer, error_answer(error));
  add(kLoad, kNumber);
}

void FilterProgram::refuse_if(int call, int argument, std::span<const unsigned> values, int error) {
  refuse_when(call, argument, ~0U, values, true, error);
}

void FilterProgram::refuse_if_masked(int call, int argument, unsigned mask, const Values& values,
                                     int error) {
  refuse_when(call, argument, mask, values, true, error);
}

void FilterProgram::refuse_if_any(int call, int argument, unsigned bits, int error) {
  const unsigned none[] = {0};
  refuse_when(call, argument, bits, none, false, error);
}

void FilterProgram::refuse_unless(int call, int argument, std::span<const unsigned> values,
                                  int error) {
  refuse_when(call, argument, ~0U, values, false, error);
}

void FilterProgram::refuse_unless(int call, int argument, const Values& values, int error) {
  refuse_when(call, argument, ~0U, values, false, error);
}

void FilterProgram::refuse_unless_masked(int call, int argument, unsigned mask,
                                         const Values& values, int error) {
  refuse_when(call, argument, mask, values, false, error);
}

void FilterProgram::install() {
  add(kAnswer, SECCOMP_RET_ALLOW);
  const sock_fprog program{static_cast<unsigned short>(lines_.size()), lines_.data()};
  checked(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
}

}  // namespace prefrontal::sandbox
