#include "score/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkerFd = 3;

struct ChildPlan {
  char* const* argv;
  char* const* envp;
  const char* folder;
  int socket;
  int null;
  pid_t parent;
};

// After the fork of a process with threads: nothing that allocates.
[[noreturn]] void become_worker(const ChildPlan& plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGCHLD, SIGPIPE}) ::signal(number, SIG_DFL);
  ::dup2(plan.null, STDIN_FILENO);
  if (plan.socket == kWorkerFd) {
    ::fcntl(kWorkerFd, F_SETFD, 0);
  } else {
    ::dup2(plan.socket, kWorkerFd);
  }
  if (::chdir(plan.folder) == 0) ::execve(plan.argv[0], plan.argv, plan.envp);
  const char* const why = ::strerrordesc_np(errno);
  const char* const parts[] = {plan.argv[0], ": cannot be started: ", why ? why : "unknown error", "\n"};
  for (const char* part : parts) {
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  ::_exit(127);
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const auto& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

std::string end_in_words(int status) {
  if (WIFEXITED(status)) return fmt::format("exited with code {}", WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const char* const name = ::sigabbrev_np(number);
  const bool may_be_memory = number == SIGKILL;
  return fmt::format("was killed by {}{}", name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number),
                     may_be_memory ? " (out of memory?)" : "");
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const WorkerLaunch& launch) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail_errno(errno, "make a socket");
  Fd mine(ends[0]);
  const Fd other(ends[1]);
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::vector<std::string> environment = environment_with(launch.variables);
  const auto argv = pointers_to(launch.words);
  const auto envp = pointers_to(environment);
  const ChildPlan plan{argv.data(), envp.data(), launch.folder.c_str(), other.get(), null.get(), ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, "start " + launch.words.front());
  if (pid == 0) become_worker(plan);
  ::setpgid(pid, pid);  // whoever comes first
  // Without it the end of a worker is seen when its socket closes.
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return WorkerProcess(pid, std::move(mine), std::move(pidfd));
}

WorkerProcess::WorkerProcess(pid_t pid, Fd socket, Fd pidfd)
    : pid_(pid), socket_(std::move(socket)), pidfd_(std::move(pidfd)) {}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), socket_(std::move(other.socket_)), pidfd_(std::move(other.pidfd_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, 0);
    socket_ = std::move(other.socket_);
    pidfd_ = std::move(other.pidfd_);
  }
  return *this;
}

WorkerProcess::~WorkerProcess() { end(); }

void WorkerProcess::end() {
  if (pid_ == 0) return;
  signal(SIGKILL);
  while (!wait(std::chrono::seconds(60))) {
  }
}

void WorkerProcess::signal(int number) const {
  if (pid_ == 0) return;
  if (::kill(-pid_, number) != 0) ::kill(pid_, number);
}

bool WorkerProcess::has_ended() const {
  if (pid_ == 0) return true;
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

bool WorkerProcess::is_unusable() const {
  pollfd waits[] = {{socket_.get(), POLLIN, 0}, {pidfd_.get(), POLLIN, 0}};
  return ::poll(waits, 2, 0) > 0 || (!pidfd_ && has_ended());
}

std::optional<std::string> WorkerProcess::wait(std::chrono::milliseconds limit) {
  if (pid_ == 0) return "has ended";
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!has_ended()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return std::nullopt;
    pollfd end{pidfd_.get(), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(pidfd_ ? left : std::min<long long>(left, 5)));
  }
  ::kill(-pid_, SIGKILL);  // what it started; the group is its own until it is waited for
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return end_in_words(status);
}

Result<std::string> find_program(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos) return fs::absolute(name, error).string();
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const fs::path place = fs::absolute(fs::path(folder) / name, error);
    if (::access(place.c_str(), X_OK) == 0 && !fs::is_directory(place, error)) return place.string();
  }
  return fail(ErrorCode::kNotFound, fmt::format("there is no program {} on PATH ({})", name, path ? path : ""));
}

}  // namespace roost
