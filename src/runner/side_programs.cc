#include "runner/side_programs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runner/become.h"

namespace roost {
namespace {

void write_end(int report, const char* what, int value) {
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%s %d\n", what, value);
  if (::write(report, line, static_cast<std::size_t>(length)) != length) {
    // Whoever waited for it has gone.
  }
}

// Makes pointers of `count` offsets and the 0 behind them. False if one leads out of the memory.
bool relocate(char* memory, std::uint64_t size, std::uint64_t first, int count) {
  auto* const table = reinterpret_cast<std::uint64_t*>(memory) + first;
  for (int i = 0; i < count; ++i) {
    if (table[i] == 0 || table[i] >= size) return false;
    table[i] = reinterpret_cast<std::uint64_t>(memory + table[i]);
  }
  table[count] = 0;
  return true;
}

}  // namespace

void SidePrograms::take_order() {
  SideOrder order;
  iovec part{&order, sizeof order};
  alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int) * kSideDescriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = extra;
  message.msg_controllen = sizeof extra;
  const ssize_t got = ::recvmsg(control_, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got == 0) {
    ::close(control_);
    control_ = -1;
  }
  if (got != static_cast<ssize_t>(sizeof order)) return;
  int descriptors[kSideDescriptors] = {-1, -1, -1, -1, -1};
  const cmsghdr* const attached = CMSG_FIRSTHDR(&message);
  if (attached && attached->cmsg_type == SCM_RIGHTS && attached->cmsg_len == CMSG_LEN(sizeof descriptors)) {
    std::memcpy(descriptors, CMSG_DATA(attached), sizeof descriptors);
  }
  if (order.kind == SideOrder::kSignal) signal(order);
  if (order.kind == SideOrder::kStart && descriptors[0] >= 0) start(order, descriptors);
  for (const int fd : descriptors) {
    if (fd >= 0) ::close(fd);
  }
}

void SidePrograms::start(const SideOrder& order, const int* descriptors) {
  const int report = descriptors[4];
  Side* place = nullptr;
  for (auto& side : sides_) {
    if (side.pid == 0 && !place) place = &side;
  }
  const std::uint64_t pointers = static_cast<std::uint64_t>(order.words) + static_cast<std::uint64_t>(order.variables) + 2;
  const bool is_sound = order.words > 0 && order.variables >= 0 && order.size <= kMostSideBytes && pointers * 8 < order.size;
  if (!place || !is_sound) {
    write_end(report, "launch", place ? EINVAL : EAGAIN);
    return;
  }
  void* const mapped = ::mmap(nullptr, order.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptors[0], 0);
  if (mapped == MAP_FAILED) {
    write_end(report, "launch", errno);
    return;
  }
  auto* const memory = static_cast<char*>(mapped);
  const auto first_variable = static_cast<std::uint64_t>(order.words) + 1;
  int error = EINVAL;
  if (relocate(memory, order.size, 0, order.words) && relocate(memory, order.size, first_variable, order.variables)) {
    auto** const program = reinterpret_cast<char**>(memory);
    error = launch(*place, order, descriptors, program, program + first_variable);
  }
  ::munmap(mapped, order.size);
  if (error == 0) return;
  write_end(report, "launch", error);
}

int SidePrograms::launch(Side& side, const SideOrder& order, const int* descriptors, char** program, char** variables) {
  const int report = ::fcntl(descriptors[4], F_DUPFD_CLOEXEC, 0);
  int failed[2];
  if (report < 0) return errno;
  if (::pipe2(failed, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(report);
    return error;
  }
  const pid_t pid = ::vfork();
  if (pid == 0) {
    ::setsid();
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    bool ready = true;
    for (int fd = 0; fd < 3; ++fd) ready = ready && ::dup2(descriptors[fd + 1], fd) >= 0;
    if (ready && order.is_terminal != 0) ::ioctl(0, TIOCSCTTY, 0);
    if (ready && become_user(as_)) become_program(program, variables);
    const int error = errno;
    if (::write(failed[1], &error, sizeof error) < 0) ::_exit(126);
    ::_exit(127);
  }
  int error = pid < 0 ? errno : 0;
  ::close(failed[1]);
  if (pid > 0 && ::read(failed[0], &error, sizeof error) != sizeof error) error = 0;
  ::close(failed[0]);
  if (error != 0) {
    ::close(report);  // its end, if it began, is nobody's
    return error;
  }
  side = {order.id, pid, report};
  return 0;
}

void SidePrograms::signal(const SideOrder& order) {
  for (const auto& side : sides_) {
    // All of its process group, which it leads.
    if (side.pid != 0 && side.id == order.id) ::kill(-side.pid, order.signal);
  }
}

bool SidePrograms::note_end(int pid, int status) {
  for (auto& side : sides_) {
    if (side.pid != pid) continue;
    if (WIFSIGNALED(status)) {
      write_end(side.report, "signal", WTERMSIG(status));
    } else {
      write_end(side.report, "exit", WEXITSTATUS(status));
    }
    ::close(side.report);
    side = {};
    return true;
  }
  return false;
}

}  // namespace roost
