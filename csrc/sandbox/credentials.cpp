#include "csrc/sandbox/credentials.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

constexpr unsigned kLetThrough = CAP_DAC_OVERRIDE;
constexpr uid_t kUnusedUsers = 0x70000000;  // no distribution and no container manager hands out

struct Capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  void read() { checked(syscall(SYS_capget, &header, sets), "capget"); }
  void write() { checked(syscall(SYS_capset, &header, sets), "capset"); }
};

bool has(unsigned capability) {
  Capabilities own;
  own.read();
  return (own.sets[0].effective >> capability & 1U) != 0;
}

void keep_capabilities(unsigned kept) {
  Capabilities own;
  own.sets[0] = {kept, kept, kept};
  own.write();
}

// What a program could gain later, by file capabilities; no_new_privs forbids it already.
void drop_bounding_set(bool keep_one) {
  for (unsigned capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    if (keep_one && capability == kLetThrough) continue;
    if (prctl(PR_CAPBSET_DROP, capability) != 0 && errno != EPERM) fail("PR_CAPBSET_DROP");
  }
}

uid_t user_for(int ordinal) { return kUnusedUsers + static_cast<uid_t>(ordinal); }

// Not possible in a container that maps few users, nor good where the watching side could not end
// what belongs to another user: then root stays, without its capabilities.
void become_nobody_else(int ordinal) {
  const uid_t user = user_for(ordinal);
  if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0) return;
  checked(prctl(PR_SET_KEEPCAPS, 1), "PR_SET_KEEPCAPS");
  checked(setresuid(user, user, user), "setresuid");
}

}  // namespace

void give_up_privileges(int ordinal) {
  const bool root = geteuid() == 0;
  const bool keeps_one = root && has(kLetThrough);
  const bool can_be_ended = has(CAP_KILL);
  drop_bounding_set(keeps_one);
  if (root && can_be_ended) become_nobody_else(ordinal);
  keep_capabilities(keeps_one ? 1U << kLetThrough : 0U);
  if (keeps_one) checked(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kLetThrough, 0, 0), "ambient");
}

void look_at_files_of(int ordinal) {
  if (geteuid() != 0 || !has(CAP_SETUID) || !has(CAP_KILL)) return;
  setfsgid(user_for(ordinal));
  setfsuid(user_for(ordinal));
  Capabilities own;
  own.read();
  for (auto& set : own.sets) set.effective = set.permitted;  // some went with the user
  own.write();
}

}  // namespace prefrontal::sandbox
