#include "compute/runner_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/inside_write.h"
#include "compute/machine.h"

namespace roost {
namespace {

using Look = RunnerProcesses::Look;

Fd open_pidfd(std::int64_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0))); }

bool has_ended(const Fd& pidfd) {
  pollfd end{pidfd.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) == 1;
}

}  // namespace

void RunnerProcesses::started(const Node& node) {
  const std::lock_guard lock(mutex_);
  // Nobody else waits for our child, so that the pid is still its own.
  if (Fd pidfd = open_pidfd(node.pid)) held_[node.id] = {node.pid, std::move(pidfd)};
}

Look RunnerProcesses::look(const Node& node) {
  const std::lock_guard lock(mutex_);
  return look_locked(node);
}

Look RunnerProcesses::look_locked(const Node& node) {
  check_outside_write("looks at a process");
  if (node.pid <= 0) return Look::kGone;
  auto held = held_.find(node.id);
  if (held == held_.end() || held->second.pid != node.pid) {
    Fd pidfd = open_pidfd(node.pid);
    if (!pidfd) return errno == ESRCH ? Look::kGone : Look::kUnknown;
    const auto began = process_start_time(static_cast<int>(node.pid));
    if (!began) return has_ended(pidfd) ? Look::kGone : Look::kUnknown;
    // 0: that of the node could not be read when it was started.
    if (*began == 0 || (node.pid_started != 0 && *began != node.pid_started)) return Look::kGone;
    if (const Look works = works_for(node, node.pid); works != Look::kAlive) return works;
    held = held_.insert_or_assign(node.id, Held{node.pid, std::move(pidfd)}).first;
  }
  ::waitpid(static_cast<pid_t>(node.pid), nullptr, WNOHANG);  // our own child stays a zombie until then
  if (!has_ended(held->second.pidfd)) return Look::kAlive;
  held_.erase(held);
  return Look::kGone;
}

Look RunnerProcesses::works_for(const Node& node, std::int64_t pid) const {
  const auto folder = nodes_ / node.id;
  const Fd fd(::open((folder / kRunnerLock).c_str(), O_RDONLY | O_CLOEXEC));
  if (fd) {
    if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return Look::kGone;  // closing gives it back
    return errno == EWOULDBLOCK ? Look::kAlive : Look::kUnknown;
  }
  if (errno != ENOENT) return Look::kUnknown;
  // It has not come so far yet, or is of a version without the lock.
  const auto words = read_file(fmt::format("/proc/{}/cmdline", pid));
  if (!words) return words.error().errnum == ENOENT ? Look::kGone : Look::kUnknown;
  const std::string wanted = fmt::format("--folder{}{}{}", '\0', folder.string(), '\0');
  return words->find(wanted) != std::string::npos ? Look::kAlive : Look::kGone;
}

void RunnerProcesses::kill(const Node& node) {
  const std::lock_guard lock(mutex_);
  if (look_locked(node) != Look::kAlive) return;
  ::syscall(SYS_pidfd_send_signal, held_.at(node.id).pidfd.get(), SIGKILL, nullptr, 0);
}

void RunnerProcesses::forget(const Node& node) {
  const std::lock_guard lock(mutex_);
  held_.erase(node.id);
}

}  // namespace roost
