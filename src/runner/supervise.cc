#include "runner/supervise.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace roost {
namespace {

// Children of this process, by /proc; after a double fork the orphans are among them.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  DIR* proc = ::opendir("/proc");
  if (!proc) return found;
  while (const dirent* entry = ::readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    char text[512];
    const ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (size <= 0) continue;
    text[size] = '\0';
    const char* after_name = std::strrchr(text, ')');
    int above = 0;
    if (after_name && std::sscanf(after_name, ") %*c %d", &above) == 1 && above == parent) {
      found.push_back(pid);
    }
  }
  ::closedir(proc);
  return found;
}

class Supervisor {
 public:
  Supervisor(int report, int user, int group)
      : report_(report), user_(user), group_(group), is_init_(::getpid() == 1) {}

  int run(char** program) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&watched, signal);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);

    int launch[2];
    if (::pipe2(launch, O_CLOEXEC) != 0) return report("launch", errno);
    // Not fork(3): its handlers may wait for a lock that a thread of the copied process held.
    main_ = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (main_ < 0) return report("launch", errno);
    if (main_ == 0) {
      ::setsid();
      sigset_t none;
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      if (become_user()) ::execvp(program[0], program);
      const int error = errno;
      if (::write(launch[1], &error, sizeof error) < 0) ::_exit(126);
      ::_exit(127);
    }
    ::close(launch[1]);
    int error = 0;
    if (::read(launch[0], &error, sizeof error) == sizeof error) return report("launch", error);

    for (;;) {
      siginfo_t info{};
      if (::sigwaitinfo(&watched, &info) < 0) continue;
      if (info.si_signo != SIGCHLD) {
        signal_all(info.si_signo == SIGQUIT ? SIGKILL : SIGTERM);
      } else if (reap()) {
        break;
      }
    }
    end_rest();
    return WIFSIGNALED(status_) ? report("signal", WTERMSIG(status_))
                                : report("exit", WEXITSTATUS(status_));
  }

 private:
  // Straight to the kernel: the library would ask threads that this copy does not have.
  bool become_user() {
    if (user_ < 0) return true;
    return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setresgid, group_, group_, group_) == 0 &&
           ::syscall(SYS_setresuid, user_, user_, user_) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  }

  // True once the program itself has ended.
  bool reap() {
    bool ended = false;
    int status = 0;
    while (const pid_t pid = ::waitpid(-1, &status, WNOHANG)) {
      if (pid < 0) break;
      if (pid != main_) continue;
      status_ = status;
      ended = true;
    }
    return ended;
  }

  void signal_all(int signal) {
    if (is_init_) {
      ::kill(-1, signal);
      return;
    }
    std::vector<pid_t> open = children_of(::getpid());
    for (std::size_t i = 0; i < open.size(); ++i) {
      ::kill(open[i], signal);
      for (const pid_t below : children_of(open[i])) open.push_back(below);
    }
  }

  void end_rest() {
    // Killing reparents the killed one's children to us, so again until none is left.
    for (int round = 0; round < 1000; ++round) {
      signal_all(SIGKILL);
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, 0);
      if (pid < 0 && errno == ECHILD) return;
    }
  }

  int report(const char* what, int value) {
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%s %d\n", what, value);
    return ::write(report_, line, static_cast<std::size_t>(length)) == length ? 0 : 1;
  }

  const int report_;
  const int user_;
  const int group_;
  const bool is_init_;
  pid_t main_ = 0;
  int status_ = 0;
};

}  // namespace

int supervise(int report, char** program, int user, int group) {
  return Supervisor(report, user, group).run(program);
}

int supervise_command(int argc, char** argv) {
  if (argc < 5 || std::strcmp(argv[3], "--") != 0) {
    std::fputs("usage: roost supervise FD -- PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  const int report = std::atoi(argv[2]);
  ::fcntl(report, F_SETFD, FD_CLOEXEC);
  return supervise(report, argv + 4);
}

}  // namespace roost
