#include "confine/namespaces.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace roost {
namespace {

void write_small_file(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (::write(fd, text, std::strlen(text)) < 0) {
    // Without the mapping the mounts fail, and that is reported.
  }
  ::close(fd);
}

}  // namespace

IdMaps::IdMaps() {
  std::snprintf(user, sizeof user, "%u %u 1", ::getuid(), ::getuid());
  std::snprintf(group, sizeof group, "%u %u 1", ::getgid(), ::getgid());
}

bool settle_in_namespaces(const IdMaps* maps) {
  if (maps) {
    write_small_file("/proc/self/setgroups", "deny");
    write_small_file("/proc/self/uid_map", maps->user);
    write_small_file("/proc/self/gid_map", maps->group);
  }
  // A /proc of the new namespace: a program would see itself under a wrong pid in the old one, and the
  // environment and memory of other processes of its user.
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

}  // namespace roost
