#include "runner/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runner/become.h"
#include "runner/side_programs.h"

namespace roost {
namespace {

constexpr int kMostPids = 8192;

// The kernel's own form of a folder's entry.
struct Entry {
  unsigned long inode;
  long offset;
  unsigned short length;
  unsigned char type;
  char name[1];  // and more, up to its NUL
};

pid_t parent_of(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  char text[512];
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (size <= 0) return -1;
  text[size] = '\0';
  const char* after_name = std::strrchr(text, ')');
  int above = -1;
  if (!after_name || std::sscanf(after_name, ") %*c %d", &above) != 1) return -1;
  return above;
}

// Adds the children of `parent`, by /proc; after a double fork the orphans are among ours.
int add_children(pid_t parent, pid_t* pids, int have) {
  const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return have;
  alignas(Entry) char buffer[16384];
  for (;;) {
    const long got = ::syscall(SYS_getdents64, proc, buffer, sizeof buffer);
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->length;
      const pid_t pid = std::atoi(entry->name);
      if (pid > 0 && have < kMostPids && parent_of(pid) == parent) pids[have++] = pid;
    }
  }
  ::close(proc);
  return have;
}

long long now_micros() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

class Supervisor {
 public:
  Supervisor(int report, const Supervised* programs, int count, const SupervisedAs& as, int control)
      : report_(report), programs_(programs), count_(count), as_(as), is_init_(::getpid() == 1), sides_(control, as) {}

  int run() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&watched_);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&watched_, signal);
    sigset_t blocked = watched_;
    sigaddset(&blocked, SIGPIPE);  // of those who do not want to know any more how a program ended
    ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
    for (int i = 0; i < count_ && i < kMostPids; ++i) {
      const int error = start(i);
      if (error != 0) {
        report(i, "launch", error);
        end_rest();
        return 0;
      }
      ++running_;
    }
    const int signals = ::signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK);
    while (running_ > 0) {
      // Without the descriptor, if there was none left, there is nobody beside the programs either.
      if (signals >= 0) {
        pollfd waits[] = {{signals, POLLIN, 0}, {sides_.control(), POLLIN, 0}};
        if (::poll(waits, 2, -1) < 0) continue;
        if (waits[1].revents != 0) sides_.take_order();
        signalfd_siginfo info{};
        while (running_ > 0 && ::read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
          note(static_cast<int>(info.ssi_signo));
        }
        continue;
      }
      siginfo_t info{};
      if (::sigwaitinfo(&watched_, &info) >= 0) note(info.si_signo);
    }
    end_rest();
    return 0;
  }

 private:
  void note(int signal) {
    if (signal == SIGCHLD) {
      reap();
    } else {
      signal_all(signal == SIGQUIT ? SIGKILL : SIGTERM);
    }
  }

  // Answers the errno of the start; 0 if the program runs.
  int start(int index) {
    int launch[2];
    if (::pipe2(launch, O_CLOEXEC) != 0) return errno;
    // Not fork(3): its handlers may wait for a lock that a thread of the copied process held. And what is copied would
    // be thrown away at once.
    const pid_t pid = ::vfork();
    if (pid < 0) {
      const int error = errno;
      ::close(launch[0]);
      ::close(launch[1]);
      return error;
    }
    if (pid == 0) {
      ::setsid();
      sigset_t none;
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      const Supervised& program = programs_[index];
      environ = program.environment;
      const bool ready = ::dup2(program.output, 1) >= 0 && ::dup2(program.output, 2) >= 0 && become_user(as_);
      if (ready && program.otherwise) become_program(program.program, program.environment);
      char** const last = program.otherwise ? program.otherwise : program.program;
      if (ready) ::execvp(last[0], last);
      const int error = errno;
      if (::write(launch[1], &error, sizeof error) < 0) ::_exit(126);
      ::_exit(127);
    }
    started_[index] = pid;
    ::close(launch[1]);
    int error = 0;
    if (::read(launch[0], &error, sizeof error) != sizeof error) error = 0;
    ::close(launch[0]);
    return error;
  }

  void reap() {
    int status = 0;
    while (const pid_t pid = ::waitpid(-1, &status, WNOHANG)) {
      if (pid < 0) return;
      if (sides_.note_end(pid, status)) continue;
      for (int i = 0; i < count_; ++i) {
        if (started_[i] != pid) continue;
        started_[i] = 0;
        --running_;
        if (WIFSIGNALED(status)) {
          report(i, "signal", WTERMSIG(status));
        } else {
          report(i, "exit", WEXITSTATUS(status));
        }
      }
    }
  }

  void signal_all(int signal) {
    if (is_init_) {
      ::kill(-1, signal);
      return;
    }
    pid_t pids[kMostPids];
    int have = add_children(::getpid(), pids, 0);
    for (int i = 0; i < have; ++i) {
      ::kill(pids[i], signal);
      have = add_children(pids[i], pids, have);
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

  void report(int index, const char* what, int value) {
    char line[96];
    const int length = std::snprintf(line, sizeof line, "%d %s %d %lld\n", index, what, value, now_micros());
    if (::write(report_, line, static_cast<std::size_t>(length)) != length) ::_exit(1);
  }

  const int report_;
  const Supervised* const programs_;
  const int count_;
  const SupervisedAs as_;
  const bool is_init_;
  SidePrograms sides_;
  sigset_t watched_{};
  pid_t started_[kMostPids] = {};  // by index; 0 once its end was reported
  int running_ = 0;
};

}  // namespace

int supervise(int report, const Supervised* programs, int count, const SupervisedAs& as, int control) {
  return Supervisor(report, programs, count, as, control).run();
}

}  // namespace roost
