#include "runner/shell_end.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr int kConnectMs = 3000;

Status make_pipe(Fd& read, Fd& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "start a program in the run");
  read.reset(ends[0]);
  write.reset(ends[1]);
  return {};
}

void set_nonblocking(const Fd& fd) { ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

Fd copy_of(const Fd& fd) { return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)); }

Status open_terminal(Fd& ours, Fd& theirs) {
  ours.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[128] = {};
  if (!ours || ::grantpt(ours.get()) != 0 || ::unlockpt(ours.get()) != 0 || ::ptsname_r(ours.get(), name, sizeof name) != 0) {
    return fail_errno(errno, "open a terminal on the node");
  }
  theirs.reset(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs) return fail_errno(errno, "open a terminal on the node");
  return {};
}

Result<Fd> connect_to(int family, const sockaddr* address, socklen_t size) {
  Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno(errno, "open a connection");
  if (::connect(fd.get(), address, size) != 0 && errno != EINPROGRESS) return fail_errno(errno, "connect");
  pollfd wait{fd.get(), POLLOUT, 0};
  int error = ETIMEDOUT;
  socklen_t length = sizeof error;
  if (::poll(&wait, 1, kConnectMs) > 0) ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return fail_errno(error, "connect");
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

}  // namespace

Result<std::unique_ptr<ShellEnd>> ShellEnd::open(const Json& order, const SideDoor& door) {
  std::unique_ptr<ShellEnd> end(new ShellEnd);
  if (text_at(order, "kind") == "port") {
    ROOST_CHECK(end->open_port(static_cast<int>(integer_at(order, "port"))));
  } else {
    ROOST_CHECK(end->open_program(order, door));
  }
  return end;
}

ShellEnd::~ShellEnd() {
  if (start_ && !has_ended_) {
    start_->signal(id_, SIGHUP);
    start_->signal(id_, SIGCONT);  // a stopped one would not hear of it
  }
}

Status ShellEnd::open_program(const Json& order, const SideDoor& door) {
  std::optional<int> rank;
  if (order.contains("rank") && order["rank"].is_number_integer()) rank = order["rank"].get<int>();
  auto way = door.way(rank);
  if (!way) return fail(ErrorCode::kFailedPrecondition, "the run has no processes on its node now: they have not started, or have ended");
  SideProgram program;
  for (const auto& word : array_at(order, "command")) {
    if (word.is_string()) program.words.push_back(word.get<std::string>());
  }
  if (program.words.empty()) return fail(ErrorCode::kInvalidArgument, "there is no command to start");
  program_ = program.words.front();
  program.variables = std::move(way->variables);
  Fd input_theirs;
  Fd output_theirs;
  Fd errors_theirs;
  if (const Json& terminal = member(order, "terminal"); terminal.is_object()) {
    ROOST_CHECK(open_terminal(terminal_, input_theirs));
    if (way->user >= 0 && ::fchown(input_theirs.get(), static_cast<uid_t>(way->user), static_cast<gid_t>(way->group)) != 0) {
      return fail_errno(errno, "give the terminal to the run's user");
    }
    if (const std::string type = text_at(terminal, "type"); !type.empty()) program.variables["TERM"] = type;
    program.is_terminal = true;
    resize(static_cast<int>(integer_at(terminal, "rows")), static_cast<int>(integer_at(terminal, "columns")));
    input_ = copy_of(terminal_);
    outputs_.push_back({"out", copy_of(terminal_)});
    program.input = program.output = program.errors = input_theirs.get();
  } else {
    ROOST_CHECK(make_pipe(input_theirs, input_));
    Fd output;
    Fd errors;
    ROOST_CHECK(make_pipe(output, output_theirs));
    ROOST_CHECK(make_pipe(errors, errors_theirs));
    outputs_.push_back({"out", std::move(output)});
    outputs_.push_back({"err", std::move(errors)});
    program.input = input_theirs.get();
    program.output = output_theirs.get();
    program.errors = errors_theirs.get();
  }
  set_nonblocking(input_);
  for (auto& output : outputs_) set_nonblocking(output.fd);
  ROOST_TRY(auto started, way->start->start(program));
  id_ = started.id;
  end_ = std::move(started.end);
  start_ = std::move(way->start);
  return {};
}

Status ShellEnd::open_port(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto fd = connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (!fd) {
    sockaddr_in6 other{};
    other.sin6_family = AF_INET6;
    other.sin6_port = address.sin_port;
    other.sin6_addr = in6addr_loopback;
    fd = connect_to(AF_INET6, reinterpret_cast<const sockaddr*>(&other), sizeof other);
  }
  if (!fd) return fail(ErrorCode::kUnavailable, fmt::format("nothing listens on port {} of the run's node", port));
  input_ = copy_of(*fd);
  outputs_.push_back({"out", std::move(*fd)});
  return {};
}

Json ShellEnd::how_it_ended() {
  has_ended_ = true;
  char text[64] = {};
  const ssize_t size = ::read(end_.get(), text, sizeof text - 1);
  char what[16] = {};
  int value = 0;
  if (size <= 0 || std::sscanf(text, "%15s %d", what, &value) != 2) return {{"error", "the run's processes have ended, and this one with them"}};
  if (std::strcmp(what, "exit") == 0) return {{"exit_code", value}};
  if (std::strcmp(what, "signal") == 0) return {{"signal", value}};
  const int code = value == ENOENT ? 127 : 126;  // as a shell has it
  return {{"error", errno_error(value, fmt::format("start {}", printable(program_))).message}, {"exit_code", code}};
}

void ShellEnd::close_input() {
  if (terminal_ || !input_) return;  // a terminal's end is a character, and is its reader's affair
  if (end_.get() < 0) ::shutdown(input_.get(), SHUT_WR);
  input_.reset();
}

void ShellEnd::resize(int rows, int columns) const {
  if (!terminal_ || rows <= 0 || columns <= 0) return;
  winsize size{};
  size.ws_row = static_cast<unsigned short>(std::min(rows, 10'000));
  size.ws_col = static_cast<unsigned short>(std::min(columns, 10'000));
  ::ioctl(terminal_.get(), TIOCSWINSZ, &size);
}

void ShellEnd::signal(int number) const {
  if (start_ && number > 0 && number < 32) start_->signal(id_, number);
}

}  // namespace roost
