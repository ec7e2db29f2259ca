#include "confine/confined_process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/files.h"
#include "confine/capabilities.h"
#include "confine/namespaces.h"

namespace roost {
namespace {

struct Plan {
  const HiddenFolders* hidden;
  const std::function<void()>* work;
  const IdMaps* maps;
  int namespaces;
  int landlock;  // -1 if not needed
  int error;     // a pipe: what could not be done, and the errno
};

[[noreturn]] void give_up(const Plan& plan, const std::string& what) {
  const std::string text = errno_error(errno, what).message;
  if (::write(plan.error, text.data(), text.size()) < 0) ::_exit(126);
  ::_exit(127);
}

// The first process of its namespace: it takes in what lost its parent, and the kernel ends the rest with it.
[[noreturn]] void wait_for(pid_t program) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(127);
    if (ended == program) ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

[[noreturn]] void be_confined(const Plan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool own_user = (plan.namespaces & CLONE_NEWUSER) != 0;
  if (plan.namespaces != 0) {
    if (!settle_in_namespaces(own_user ? plan.maps : nullptr)) give_up(plan, "make namespaces");
    if (const char* what = cover_folders(*plan.hidden, own_user)) give_up(plan, what);
  }
  ::prctl(PR_SET_DUMPABLE, 0);  // a copy of the process that started it, whose memory is not for the program
  if (plan.landlock >= 0 && !enter_landlock(plan.landlock)) give_up(plan, "be kept out of the data folder");
  const pid_t program = ::fork();
  if (program < 0) give_up(plan, "start a program");
  if (program > 0) {
    ::close(plan.error);
    wait_for(program);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::geteuid() == 0 && !plan.hidden->folders.empty()) give_up_capabilities();
  (*plan.work)();
  ::_exit(127);
}

}  // namespace

Result<int> start_confined(const HiddenFolders& hidden, const std::function<void()>& work) {
  const IdMaps maps;
  std::string problem;
  for (const int namespaces : {CLONE_NEWPID | CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS, 0}) {
    Fd landlock;
    if (namespaces == 0) {
      auto rules = landlock_rules(hidden);
      if (!rules && rules.error().code != ErrorCode::kUnimplemented) return fail(rules.error());
      if (rules) landlock = std::move(*rules);
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
    const Fd reader(ends[0]);
    Fd writer(ends[1]);
    const Plan plan{&hidden, &work, &maps, namespaces, landlock.get(), writer.get()};
    // Not fork(3), which makes no namespaces; with one thread there is nothing that it would have to put in order.
    const auto pid = static_cast<pid_t>(
        ::syscall(SYS_clone, SIGCHLD | namespaces, nullptr, nullptr, nullptr, nullptr));
    if (pid == 0) be_confined(plan);
    if (pid < 0) {
      problem = errno_error(errno, "start a program").message;
      continue;
    }
    writer.reset();
    char text[512];
    ssize_t length = 0;
    do {
      length = ::read(reader.get(), text, sizeof text);
    } while (length < 0 && errno == EINTR);
    if (length <= 0) return pid;
    problem.assign(text, static_cast<std::size_t>(length));
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return fail(ErrorCode::kInternal, "a program cannot be kept out of the data folder: " + problem);
}

}  // namespace roost
