#include "confine/confinement.h"

#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "confine/namespaces.h"

namespace roost {
namespace {

bool can_hide(int more) {
  const IdMaps maps;
  const auto pid = static_cast<pid_t>(
      ::syscall(SYS_clone, SIGCHLD | CLONE_NEWPID | CLONE_NEWNS | more, nullptr, nullptr, nullptr, nullptr));
  if (pid < 0) return false;
  if (pid == 0) {
    const bool settled = settle_in_namespaces((more & CLONE_NEWUSER) != 0 ? &maps : nullptr);
    ::_exit(settled && ::mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "size=4k") == 0 ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Confinement find_confinement() {
  if (can_hide(0) || can_hide(CLONE_NEWUSER)) return Confinement::kNamespaces;
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version >= 1 ? Confinement::kLandlock : Confinement::kNothing;
}

std::string_view confinement_notice(Confinement confinement) {
  switch (confinement) {
    case Confinement::kNamespaces:
      return "";
    case Confinement::kLandlock:
      return "this machine allows no namespaces: runs are kept out of the data folder by Landlock alone, and cannot "
             "make files directly in the folders above it (docs/operations.md, \"What a run can reach\")";
    case Confinement::kNothing:
      return "this machine allows neither namespaces nor Landlock: every run can read and change the data folder, "
             "with the owner's token in it; let only those submit whom you would give that token";
  }
  return "";
}

}  // namespace roost
