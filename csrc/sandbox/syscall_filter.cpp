#include "csrc/sandbox/syscall_filter.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/filter_program.hpp"
#include "csrc/sandbox/syscall_names.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr unsigned kNewNamespace = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                   CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | 0x80U /*time*/;
constexpr unsigned kSpecialBits = S_ISUID | S_ISGID;

// What an ordinary program asks of its files and terminals; some others reserve disk space past
// every limit or type into the terminal.
constexpr unsigned kHarmlessIoctls[] = {
    0x5401 /*TCGETS*/,   0x802C542A /*TCGETS2*/, 0x540F /*TIOCGPGRP*/, 0x5413 /*TIOCGWINSZ*/,
    0x541B /*FIONREAD*/, 0x5421 /*FIONBIO*/,     0x5450 /*FIONCLEX*/,  0x5451 /*FIOCLEX*/};
constexpr unsigned kReachingFcntls[] = {F_SETOWN,   15 /*F_SETOWN_EX*/, F_SETSIG,
                                        F_SETLEASE, F_NOTIFY,           1031 /*F_SETPIPE_SZ*/};
constexpr unsigned kReachingPrctls[] = {PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_MM,
                                        PR_SET_CHILD_SUBREAPER, 62 /*PR_SCHED_CORE*/};
constexpr unsigned kSwappingOut[] = {21 /*MADV_PAGEOUT*/};

constexpr unsigned kBufferSizes[] = {SO_SNDBUF, SO_RCVBUF, 32 /*SO_SNDBUFFORCE*/,
                                     33 /*SO_RCVBUFFORCE*/};

void refuse_all_but_tcp(FilterProgram& program) {
  program.refuse_unless(__NR_socket, 0, {AF_INET}, EPERM);
  program.refuse_unless_masked(__NR_socket, 1, 0xF, {SOCK_STREAM}, EPERM);
  program.refuse_unless(__NR_socket, 2, {0, IPPROTO_TCP}, EPERM);
  for (const int call : kServerCalls) program.refuse(call, EPERM);
}

void refuse_sockets(FilterProgram& program, const FilterChoice& choice) {
  program.refuse_unless(__NR_socketpair, 0, {AF_UNIX}, EPERM);
  program.refuse_unless_masked(__NR_socketpair, 1, 0xF, {SOCK_STREAM, SOCK_SEQPACKET}, EPERM);
  if (choice.network) {
    program.refuse_unless(__NR_socket, 0, {AF_INET, AF_INET6, AF_NETLINK}, EPERM);
    program.refuse_unless_masked(__NR_socket, 1, 0xF, {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW}, EPERM);
    return;
  }
  if (choice.proxy) {
    refuse_all_but_tcp(program);
  } else {
    for (const int call : {__NR_socket, __NR_connect}) program.refuse(call, EPERM);
    for (const int call : kServerCalls) program.refuse(call, EPERM);
  }
  program.refuse_if(__NR_setsockopt, 2, kBufferSizes, EPERM);
}

void refuse_by_argument(FilterProgram& program) {
  program.refuse_if_any(__NR_clone, 0, kNewNamespace, EPERM);
  program.refuse(kClone3, ENOSYS);  // its flags cannot be seen; libraries fall back to clone
  program.refuse_unless(__NR_prlimit64, 0, {0}, EPERM);
  program.refuse_unless(__NR_personality, 0, {0, 0xFFFFFFFF}, EPERM);
  program.refuse_unless(__NR_ioctl, 1, kHarmlessIoctls, ENOTTY);
  program.refuse_if(__NR_fcntl, 1, kReachingFcntls, EPERM);
  program.refuse_if(__NR_prctl, 0, kReachingPrctls, EPERM);
  // Neither huge pages nor what is swapped out counts as a process's memory.
  program.refuse_if_any(__NR_mmap, 3, MAP_HUGETLB, ENOMEM);
  program.refuse_if(__NR_madvise, 2, kSwappingOut, EINVAL);
  program.refuse_if_masked(__NR_openat, 2, O_TRUNC | O_ACCMODE, {O_TRUNC}, EPERM);
  program.refuse_if_any(__NR_renameat2, 4, 4 /*RENAME_WHITEOUT*/, EPERM);  // makes a device
  program.refuse_if_any(__NR_openat, 3, kSpecialBits, EPERM);
  program.refuse_if_any(__NR_fchmod, 1, kSpecialBits, EPERM);
  program.refuse_if_any(__NR_fchmodat, 2, kSpecialBits, EPERM);
  program.refuse(kOpenat2, ENOSYS);  // its flags cannot be seen
#ifdef __NR_open
  program.refuse_if_masked(__NR_open, 1, O_TRUNC | O_ACCMODE, {O_TRUNC}, EPERM);
  program.refuse_if_any(__NR_open, 2, kSpecialBits, EPERM);
  program.refuse_if_any(__NR_creat, 1, kSpecialBits, EPERM);
  program.refuse_if_any(__NR_chmod, 1, kSpecialBits, EPERM);
#endif
}

void refuse_signals(FilterProgram& program) {
  const unsigned self = static_cast<unsigned>(getpid());
  program.refuse_unless(__NR_kill, 0, {0, self}, EPERM);
  program.refuse_unless(__NR_tgkill, 0, {self}, EPERM);
  for (const int call : kSignalCalls) program.refuse(call, EPERM);
}

}  // namespace

void filter_system_calls(const FilterChoice& choice) {
  FilterProgram program;
  for (const int call : kNeverNeeded) program.refuse(call, EPERM);
  for (const int call : kNotOffered) program.refuse(call, ENOSYS);
  for (const int call : kReserving) program.refuse(call, EOPNOTSUPP);
  program.refuse(__NR_flock, ENOLCK);  // also works through a file that can only be read
  refuse_sockets(program, choice);
  refuse_by_argument(program);
  if (choice.guard_metadata) {
    for (const int call : kMetadataPretended) program.refuse(call, 0);
    for (const int call : kMetadataRefused) program.refuse(call, EPERM);
    for (const int call : kAttributes) program.refuse(call, EOPNOTSUPP);
  }
  if (choice.guard_signals) refuse_signals(program);
  if (choice.guard_truncate) program.refuse(__NR_truncate, EPERM);
  program.install();
}

}  // namespace prefrontal::sandbox
