#include "runner/become.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "confine/capabilities.h"

namespace roost {

// Straight to the kernel: the library would ask threads that a copy of a process does not have.
bool become_user(const SupervisedAs& as) {
  if (as.confined && ::geteuid() == 0) give_up_capabilities();
  if (as.user < 0) return true;
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setresgid, as.group, as.group, as.group) == 0 &&
         ::syscall(SYS_setresuid, as.user, as.user, as.user) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

void become_program(char** program, char** environment) {
  if (std::strchr(program[0], '/')) {
    ::execve(program[0], program, environment);
    return;
  }
  const char* folders = "/usr/local/bin:/usr/bin:/bin";
  for (char** variable = environment; *variable; ++variable) {
    if (std::strncmp(*variable, "PATH=", 5) == 0) folders = *variable + 5;
  }
  for (const char* folder = folders;; ++folder) {
    const char* const end = folder + std::strcspn(folder, ":");
    char path[PATH_MAX];
    const int length = std::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(end - folder),
                                     end == folder ? "." : folder, program[0]);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof path) ::execve(path, program, environment);
    const bool is_elsewhere = errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    if (!is_elsewhere || *end == '\0') return;
    folder = end;
  }
}

}  // namespace roost
