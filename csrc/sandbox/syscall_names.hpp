// System calls by what refusing them protects. Names that a processor does not have are left out.
#pragma once

#include <sys/syscall.h>

namespace prefrontal::sandbox {

// Younger than many system headers; they have the same number on every processor.
enum YoungCall : int {
  kPidfdSendSignal = 424,
  kIoUringSetup = 425,
  kIoUringEnter = 426,
  kIoUringRegister = 427,
  kOpenTree = 428,
  kMoveMount = 429,
  kFsopen = 430,
  kFsconfig = 431,
  kFsmount = 432,
  kFspick = 433,
  kClone3 = 435,
  kOpenat2 = 437,
  kPidfdGetfd = 438,
  kProcessMadvise = 440,
  kMountSetattr = 442,
  kQuotactlFd = 443,
  kLandlockCreateRuleset = 444,
  kMemfdSecret = 447,
  kProcessMrelease = 448,
};

// Other processes, the kernel, the machine's settings, devices, links out of the scratch folder.
inline constexpr int kNeverNeeded[] = {
    // reading and steering others
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, kProcessMadvise, kProcessMrelease,
    __NR_kcmp, kPidfdGetfd, __NR_migrate_pages, __NR_move_pages, __NR_sched_setaffinity,
    __NR_sched_setscheduler, __NR_sched_setparam, __NR_sched_setattr, __NR_setpriority,
    __NR_ioprio_set, __NR_perf_event_open,
    // the kernel
    __NR_bpf, __NR_userfaultfd, __NR_kexec_load, __NR_kexec_file_load, __NR_init_module,
    __NR_finit_module, __NR_delete_module, __NR_add_key, __NR_request_key, __NR_keyctl, __NR_syslog,
    __NR_fanotify_init,
    // file systems
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, kFsopen, kFsconfig, kFsmount, kFspick,
    kMoveMount, kOpenTree, kMountSetattr, __NR_unshare, __NR_setns, __NR_swapon, __NR_swapoff,
    __NR_quotactl, kQuotactlFd, __NR_acct, __NR_open_by_handle_at, __NR_name_to_handle_at,
    // the machine
    __NR_reboot, __NR_sethostname, __NR_setdomainname, __NR_settimeofday, __NR_clock_settime,
    __NR_adjtimex, __NR_clock_adjtime, __NR_vhangup, __NR_sync, __NR_syncfs,
    // names and devices that lead out of the scratch folder
    __NR_symlinkat, __NR_linkat, __NR_mknodat,
#ifdef __NR_symlink
    __NR_symlink, __NR_link, __NR_mknod,
#endif
#ifdef __NR_iopl
    __NR_iopl, __NR_ioperm, __NR_modify_ldt,
#endif
    // memory and messages that outlive a process or escape its limits
    __NR_shmget, __NR_shmat, __NR_semget, __NR_msgget, __NR_mq_open, __NR_mq_unlink, kMemfdSecret};

// Libraries ask for these and have another way when the kernel is too old for them.
// Of inotify a user has 128, and of asynchronous operations the machine 65,536, here and outside
// together. A ruleset of Landlock is memory that no figure of a process shows.
inline constexpr int kNotOffered[] = {
    kIoUringSetup,     kIoUringEnter,      kIoUringRegister,       __NR_io_setup,
    __NR_memfd_create, __NR_inotify_init1, __NR_inotify_add_watch, kLandlockCreateRuleset,
#ifdef __NR_inotify_init
    __NR_inotify_init,
#endif
};

// Disk space that is promised at once, past the limit of a file's size, or that no size shows.
inline constexpr int kReserving[] = {__NR_fallocate, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr};

inline constexpr int kServerCalls[] = {__NR_bind, __NR_listen, __NR_accept, __NR_accept4,
                                       // these pass descriptors on, which nobody could count
                                       __NR_sendmsg, __NR_sendmmsg};

inline constexpr int kSignalCalls[] = {__NR_tkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
                                       kPidfdSendSignal};

// Answered "done" without being done: copying a file ends with these.
inline constexpr int kMetadataPretended[] = {__NR_fchmod,   __NR_fchmodat, __NR_utimensat,
#ifdef __NR_chmod
                                             __NR_chmod,    __NR_utime,    __NR_utimes,
                                             __NR_futimesat
#endif
};

inline constexpr int kMetadataRefused[] = {
    __NR_fchown, __NR_fchownat, __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr,
#ifdef __NR_chown
    __NR_chown,  __NR_lchown,
#endif
};

// Attributes are words of their own, such as where a file came from.
inline constexpr int kAttributes[] = {__NR_getxattr,  __NR_lgetxattr,  __NR_fgetxattr,
                                      __NR_listxattr, __NR_llistxattr, __NR_flistxattr};

}  // namespace prefrontal::sandbox
