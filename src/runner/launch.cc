#include "runner/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runner/supervise.h"

namespace roost {
namespace {

constexpr int kReportFd = 3;
constexpr int kSupervisorWords = 4;  // "roost supervise 3 --"

// Everything the child needs, made before it exists: between clone and exec it must not allocate.
struct ChildPlan {
  const char* folder;
  const char* output;
  char** argv;
  char** environment;
  int report;
  int error_pipe;
  const ImageRoot* image;
  bool own_namespace;
  bool own_user;
  char uid_map[64];
  char gid_map[64];
};

void write_small_file(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (::write(fd, text, std::strlen(text)) < 0) {
    // Without the mapping the mount below fails, and that is reported.
  }
  ::close(fd);
}

// Why a child could not be set up. The words are in memory that both have.
struct ChildFailure {
  int error;
  const char* what;
};

[[noreturn]] void fail_child(const ChildPlan& plan, const char* what = nullptr) {
  const ChildFailure failure{errno, what};
  if (::write(plan.error_pipe, &failure, sizeof failure) < 0) ::_exit(126);
  ::_exit(127);
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  // Without a namespace the death of the supervisor would leave its children: it must end them itself.
  ::prctl(PR_SET_PDEATHSIG, plan.own_namespace ? SIGKILL : SIGQUIT);
  // The runner's handlers and mask must not leak into what it starts.
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (plan.own_user) {
    write_small_file("/proc/self/setgroups", "deny");
    write_small_file("/proc/self/uid_map", plan.uid_map);
    write_small_file("/proc/self/gid_map", plan.gid_map);
  }
  if (plan.own_namespace) {
    // A /proc of the new namespace, or the program would see itself under a wrong pid.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail_child(plan);
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
      fail_child(plan);
    }
  }
  const int in = ::open("/dev/null", O_RDONLY);
  const int out = ::open(plan.output, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (in < 0 || out < 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0 ||
      ::dup2(plan.report, kReportFd) < 0) {
    fail_child(plan);
  }
  if (in > kReportFd) ::close(in);
  if (out > kReportFd) ::close(out);
  if (plan.image) {
    if (const char* what = enter_image_root(*plan.image, plan.own_user)) fail_child(plan, what);
    ::prctl(PR_SET_DUMPABLE, 0);  // a copy of the runner: the program must not read its memory
  }
  if (::chdir(plan.folder) != 0) fail_child(plan);
  if (plan.own_namespace) {
    // A copy of the runner is at hand and starts at once; a new program would cost milliseconds.
    ::syscall(SYS_close_range, kReportFd + 1, ~0U, 0);
    ::fcntl(kReportFd, F_SETFD, FD_CLOEXEC);
    environ = plan.environment;
    ::_exit(supervise(kReportFd, plan.argv + kSupervisorWords, plan.image ? plan.image->user : -1,
                      plan.image ? plan.image->group : -1));
  }
  ::execve("/proc/self/exe", plan.argv, plan.environment);
  fail_child(plan);
}

}  // namespace

Result<Launched> Launched::start(const LaunchSpec& spec) {
  std::vector<std::string> words = {"roost", "supervise", std::to_string(kReportFd), "--"};
  words.insert(words.end(), spec.program.begin(), spec.program.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> assignments;
  for (const auto& [name, value] : spec.variables) assignments.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (auto& assignment : assignments) environment.push_back(assignment.data());
  environment.push_back(nullptr);

  int report[2];
  int errors[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return fail_errno(errno, "start the script");
  Fd report_read(report[0]);
  const Fd report_write(report[1]);
  if (::pipe2(errors, O_CLOEXEC) != 0) return fail_errno(errno, "start the script");
  Fd errors_read(errors[0]);
  Fd errors_write(errors[1]);
  // The descriptor the child gets must not be one of the few it replaces.
  const Fd report_high(::fcntl(report_write.get(), F_DUPFD_CLOEXEC, 10));
  Fd errors_high(::fcntl(errors_write.get(), F_DUPFD_CLOEXEC, 10));

  ChildPlan plan{spec.folder.c_str(), spec.output.c_str(), argv.data(), environment.data(),
                 report_high.get(), errors_high.get(), spec.image ? &*spec.image : nullptr,
                 true, false, {}, {}};
  std::snprintf(plan.uid_map, sizeof plan.uid_map, "%u %u 1", ::getuid(), ::getuid());
  std::snprintf(plan.gid_map, sizeof plan.gid_map, "%u %u 1", ::getgid(), ::getgid());

  Launched launched;
  std::string problem = "this machine allows no namespaces to its users";
  for (const int namespaces : {CLONE_NEWPID | CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS, 0}) {
    // A run in an image has its own file system or none.
    if (namespaces == 0 && spec.image) {
      return fail(ErrorCode::kFailedPrecondition, "the run cannot be started in its image: " + problem);
    }
    int pidfd = -1;
    plan.own_namespace = (namespaces & CLONE_NEWPID) != 0;
    plan.own_user = (namespaces & CLONE_NEWUSER) != 0;
    const auto pid = static_cast<int>(
        ::syscall(SYS_clone, CLONE_PIDFD | SIGCHLD | namespaces, nullptr, &pidfd, nullptr, nullptr));
    if (pid == 0) run_child(plan);
    if (pid < 0) {
      if (namespaces == 0) return fail_errno(errno, "start the script");
      continue;
    }
    launched.pid_ = pid;
    launched.pidfd_.reset(pidfd);
    launched.isolated_ = plan.own_namespace;
    // The child closes its end once it is set up, or writes why it could not.
    errors_high.reset();
    errors_write.reset();
    ChildFailure failure{};
    if (::read(errors_read.get(), &failure, sizeof failure) != sizeof failure) break;
    if (failure.what) {
      const bool is_path = failure.what[0] == '/';
      problem = errno_error(failure.error, std::string(is_path ? "show it " : "") + failure.what).message;
    }
    if (::pipe2(errors, O_CLOEXEC) != 0) return fail_errno(errno, "start the script");
    errors_read.reset(errors[0]);
    errors_write.reset(errors[1]);
    errors_high.reset(::fcntl(errors_write.get(), F_DUPFD_CLOEXEC, 10));
    plan.error_pipe = errors_high.get();
    ::waitpid(pid, nullptr, 0);
    launched.pid_ = 0;
    if (namespaces == 0) return fail_errno(failure.error, "start the script");
  }
  launched.report_ = std::move(report_read);
  return launched;
}

Launched::~Launched() {
  if (pid_ == 0) return;
  kill();
  ::waitpid(pid_, nullptr, 0);
}

void Launched::terminate() {
  if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGTERM, nullptr, 0);
}

void Launched::kill() {
  if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), isolated_ ? SIGKILL : SIGQUIT, nullptr, 0);
}

std::optional<Launched::End> Launched::poll_end() {
  int status = 0;
  if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = 0;
  End end;
  char text[64] = {};
  char what[16] = {};
  int value = 0;
  if (::read(report_.get(), text, sizeof text - 1) > 0 &&
      std::sscanf(text, "%15s %d", what, &value) == 2) {
    if (std::strcmp(what, "exit") == 0) end.exit_code = value;
    if (std::strcmp(what, "signal") == 0) end.signal = value;
    if (std::strcmp(what, "launch") == 0) end.launch_errno = value;
  } else {
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
  }
  return end;
}

}  // namespace roost
