#include "net/client_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

milliseconds until(steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  return std::max(left, milliseconds(0));
}

tl::unexpected<Error> interrupted() { return fail(ErrorCode::kUnavailable, "interrupted"); }

Result<short> poll_socket(int fd, short events, milliseconds timeout, Interrupt& interrupt) {
  const auto deadline = steady_clock::now() + timeout;
  for (;;) {
    if (interrupt.taken()) return interrupted();
    pollfd fds[2] = {{fd, events, 0}, {interrupt.fd(), POLLIN, 0}};
    const auto left = std::min<milliseconds::rep>(until(deadline).count(), INT_MAX);
    const int count = ::poll(fds, 2, static_cast<int>(left));
    if (count < 0 && errno != EINTR) return fail_errno(errno, "wait for the network");
    if (interrupt.taken()) return interrupted();
    if (count > 0 && fds[1].revents != 0) interrupt.drain();
    // An error is found out by the read or write that the caller tries next.
    if (count > 0 && fds[0].revents != 0) {
      const bool broke = (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
      return broke ? events : fds[0].revents;
    }
    if (count == 0) return fail(ErrorCode::kDeadlineExceeded, "timed out");
  }
}

// A socket that connects to a free port of its own machine may get that very port as its own and
// then talks to itself, which also keeps the server from taking the port again.
bool talks_to_itself(int fd) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_size = sizeof here;
  socklen_t there_size = sizeof there;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&here), &here_size) == 0 &&
         ::getpeername(fd, reinterpret_cast<sockaddr*>(&there), &there_size) == 0 &&
         here_size == there_size && std::memcmp(&here, &there, here_size) == 0;
}

Status wait_connected(int fd, steady_clock::time_point deadline, Interrupt& interrupt) {
  ROOST_TRY([[maybe_unused]] const short ready,
            poll_socket(fd, POLLOUT, until(deadline), interrupt));
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0 && talks_to_itself(fd)) error = ECONNREFUSED;
  if (error != 0) return fail(ErrorCode::kUnavailable, std::strerror(error));
  return {};
}

Result<Fd> connect_to(const addrinfo& address, steady_clock::time_point deadline,
                      Interrupt& interrupt) {
  Fd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail(ErrorCode::kUnavailable, std::strerror(errno));
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0 && errno != EINPROGRESS) {
    return fail(ErrorCode::kUnavailable, std::strerror(errno));
  }
  ROOST_CHECK(wait_connected(fd.get(), deadline, interrupt));
  return fd;
}

Result<Fd> connect_any(const Url& url, steady_clock::time_point deadline, Interrupt& interrupt) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  // No name is this machine itself, also where no file or server says what localhost is.
  const char* name = url.host == "localhost" ? nullptr : url.host.c_str();
  if (const int error = getaddrinfo(name, url.port.c_str(), &hints, &found)) {
    return fail(ErrorCode::kUnavailable, gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  Error last{ErrorCode::kUnavailable, "the name has no address"};
  for (const addrinfo* address = found; address; address = address->ai_next) {
    auto fd = connect_to(*address, deadline, interrupt);
    if (fd) return fd;
    last = std::move(fd).error();
    if (interrupt.taken()) break;
  }
  return fail(std::move(last));
}

}  // namespace

Result<std::unique_ptr<ClientSocket>> ClientSocket::connect(const Url& url, SSL_CTX* tls,
                                                            milliseconds timeout,
                                                            Interrupt& interrupt) {
  const auto deadline = steady_clock::now() + timeout;
  ROOST_TRY(Fd fd, connect_any(url, deadline, interrupt));
  std::unique_ptr<ClientSocket> socket(new ClientSocket(std::move(fd)));
  if (url.tls) ROOST_CHECK(socket->start_tls(url, tls, deadline, interrupt));
  return socket;
}

Status ClientSocket::start_tls(const Url& url, SSL_CTX* context, steady_clock::time_point deadline,
                               Interrupt& interrupt) {
  ROOST_TRY(tls_, make_tls_stream(context, url, fd_.get(), &tls_broken_));
  for (;;) {
    errno = 0;
    const int returned = SSL_do_handshake(tls_.get());
    if (returned == 1) return {};
    const int why = SSL_get_error(tls_.get(), returned);
    const bool wants = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
    if (!wants || tls_broken_)
      return fail(ErrorCode::kUnavailable, tls_error(tls_.get(), returned));
    const short event = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    ROOST_TRY([[maybe_unused]] const short ready,
              poll_socket(fd_.get(), event, until(deadline), interrupt));
  }
}

ClientSocket::Outcome ClientSocket::read(char* into, std::size_t size) {
  Outcome outcome;
  errno = 0;
  if (!tls_) {
    const ssize_t received = ::recv(fd_.get(), into, size, 0);
    if (received > 0) {
      outcome.size = static_cast<std::size_t>(received);
    } else if (received == 0) {
      outcome.ended = true;
    } else if (errno == EAGAIN || errno == EINTR) {
      outcome.wants = POLLIN;
    } else {
      outcome.error = std::strerror(errno);
    }
    return outcome;
  }
  const int returned =
      SSL_read(tls_.get(), into, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
  const int why = SSL_get_error(tls_.get(), returned);
  if (returned > 0) {
    outcome.size = static_cast<std::size_t>(returned);
  } else if (why == SSL_ERROR_ZERO_RETURN) {
    outcome.ended = true;
  } else if (why == SSL_ERROR_WANT_READ || (why == SSL_ERROR_WANT_WRITE && !tls_broken_)) {
    outcome.wants = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
  } else {
    outcome.error = tls_error(tls_.get(), returned);
  }
  return outcome;
}

ClientSocket::Outcome ClientSocket::write(std::string_view bytes) {
  Outcome outcome;
  errno = 0;
  if (!tls_) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      outcome.size = static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EINTR) {
      outcome.wants = POLLOUT;
    } else {
      outcome.error = std::strerror(errno);
    }
    return outcome;
  }
  const auto size = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
  const int returned = SSL_write(tls_.get(), bytes.data(), size);
  const int why = SSL_get_error(tls_.get(), returned);
  if (tls_broken_) {
    outcome.error = "the connection was closed";
  } else if (returned > 0) {
    outcome.size = static_cast<std::size_t>(returned);
  } else if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
    outcome.wants = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
  } else {
    outcome.error = tls_error(tls_.get(), returned);
  }
  return outcome;
}

Result<short> ClientSocket::wait(short events, milliseconds timeout, Interrupt& interrupt) const {
  return poll_socket(fd_.get(), events, timeout, interrupt);
}

bool ClientSocket::readable() const {
  pollfd fd{fd_.get(), POLLIN, 0};
  return ::poll(&fd, 1, 0) > 0;
}

}  // namespace roost
