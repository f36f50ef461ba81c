#include "csrc/sandbox/namespaces.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "csrc/sandbox/failure.hpp"
#include "csrc/sandbox/syscall_names.hpp"

namespace prefrontal::sandbox {
namespace {

// The kernel's interface, written out because system headers lag behind kernels.
constexpr unsigned kClone = 1, kRecursive = 0x8000, kCloseOnExec = O_CLOEXEC, kEmptyPath = 0x1000;
constexpr unsigned kFromEmptyPath = 4;
constexpr std::uint64_t kReadOnly = 1, kNoSetuid = 2, kNoDevices = 4, kNoExecute = 8;
struct MountAttributes {
  std::uint64_t set;
  std::uint64_t cleared;
  std::uint64_t propagation;
  std::uint64_t user_namespace;
};

const char* const kNewRoot = "/tmp";  // where the new root hangs until it is the root

struct Place {
  std::string path;
  std::uint64_t attributes;
  int tree = -1;  // a copy of the mount, not yet anywhere
};

void write_file(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) fail(path);
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail(path);
  close(file);
}

void map_user() {
  const std::string user = std::to_string(geteuid());
  const std::string group = std::to_string(getegid());
  checked(unshare(CLONE_NEWUSER), "a user namespace");
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", user + " " + user + " 1\n");
  write_file("/proc/self/gid_map", group + " " + group + " 1\n");
}

// Outer folders before what lies in them, so that nothing is covered.
std::vector<Place> places_of(const Reach& reach) {
  std::vector<Place> places;
  for (const std::string& path : reach.read)
    places.push_back({path, kReadOnly | kNoSetuid | kNoDevices});
  for (const std::string& path : reach.devices) places.push_back({path, kNoSetuid | kNoExecute});
  places.push_back({reach.scratch, kNoSetuid | kNoDevices | kNoExecute});
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.path.size() < b.path.size(); });
  return places;
}

void copy_mount(Place& place) {
  const long tree =
      syscall(kOpenTree, AT_FDCWD, place.path.c_str(), kClone | kRecursive | kCloseOnExec);
  place.tree = static_cast<int>(checked(tree, "a copy of " + place.path));
  const MountAttributes attributes{place.attributes, 0, 0, 0};
  checked(syscall(kMountSetattr, place.tree, "", kEmptyPath | kRecursive, &attributes,
                  sizeof attributes),
          "attributes of " + place.path);
}

bool is_folder(int descriptor) {
  struct stat facts{};
  return fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode);
}

void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    mkdir(path.substr(0, end).c_str(), 0755);
}

void put(const Place& place) {
  const std::string target = kNewRoot + place.path;
  struct stat facts{};
  if (stat(target.c_str(), &facts) != 0) {  // else it lies in a folder that is already there
    make_folders(target);
    checked(is_folder(place.tree) ? mkdir(target.c_str(), 0755) : mknod(target.c_str(), 0644, 0),
            target);
  }
  checked(syscall(kMoveMount, place.tree, "", AT_FDCWD, target.c_str(), kFromEmptyPath),
          "a mount at " + place.path);
  close(place.tree);
}

// /bin, /lib, ... are links into /usr on most machines.
void copy_root_links() {
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    char aim[256];
    const ssize_t length = readlink(name, aim, sizeof aim - 1);
    if (length <= 0) continue;
    aim[length] = '\0';
    checked(symlink(aim, (kNewRoot + std::string(name)).c_str()), name);
  }
}

void enter_new_root() {
  checked(chdir(kNewRoot), kNewRoot);
  checked(syscall(SYS_pivot_root, ".", "."), "pivot_root");
  checked(umount2(".", MNT_DETACH), "the old root");
  checked(chdir("/"), "/");
  checked(mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
                nullptr),
          "the new root");
}

}  // namespace

void separate_processes() {
  if (geteuid() != 0 || unshare(CLONE_NEWPID) != 0) {
    map_user();
    checked(unshare(CLONE_NEWPID), "a namespace of processes");
  }
}

void separate_everything_else(const Reach& reach) {
  const int network = reach.network ? 0 : CLONE_NEWNET;
  checked(unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | network),
          "namespaces");
  checked(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "private mounts");
  std::vector<Place> places = places_of(reach);
  for (Place& place : places) copy_mount(place);
  checked(mount("tmpfs", kNewRoot, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m"), kNewRoot);
  copy_root_links();
  for (const Place& place : places) put(place);
  enter_new_root();
}

}  // namespace prefrontal::sandbox
