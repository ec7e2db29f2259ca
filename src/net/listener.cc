#include "net/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/log.h"

namespace roost {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

Error cannot_listen(const std::string& address, std::uint16_t port, int errnum) {
  const std::string place = address + ":" + std::to_string(port);
  Error error = errno_error(errnum, "listen on " + place);
  if (errnum == EADDRINUSE) {
    error.code = ErrorCode::kFailedPrecondition;
    error.message += "; stop what is using it, or choose another port";
  } else if (errnum == EADDRNOTAVAIL) {
    error.code = ErrorCode::kInvalidArgument;
    error.message += "; the address must be one of this machine's";
  } else if (errnum == EACCES) {
    error.message += "; ports below 1024 need special rights, choose a higher one";
  }
  return error;
}

}  // namespace

Result<Fd> listen_on(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  // Without AI_PASSIVE no name means loopback, also where nothing says what localhost is.
  const bool local = address == "localhost";
  hints.ai_flags = local ? AI_NUMERICSERV : AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  if (const int error = getaddrinfo(local ? nullptr : address.c_str(), service.c_str(), &hints, &found)) {
    return fail(ErrorCode::kInvalidArgument, "cannot listen on '" + address +
                                                 "': " + gai_strerror(error) +
                                                 "; give an IP address of this machine");
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  Fd fd(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0) {
    return fail(cannot_listen(address, port, errno));
  }
  return fd;
}

Listener::Listener(asio::io_context& context, Fd socket, Accepted accepted)
    : acceptor_(context), timer_(context), accepted_(std::move(accepted)) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size);
  acceptor_.assign(name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), socket.release());
  port_ = acceptor_.local_endpoint().port();
}

void Listener::start() { wait(); }

void Listener::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  timer_.cancel();
}

void Listener::wait() {
  acceptor_.async_wait(tcp::acceptor::wait_read, [this](const boost::system::error_code& error) {
    if (!error) accept_all();
  });
}

void Listener::accept_all() {
  for (;;) {
    tcp::endpoint peer;
    auto size = static_cast<socklen_t>(peer.capacity());
    Fd socket(
        ::accept4(acceptor_.native_handle(), peer.data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      peer.resize(size);
      accepted_(std::move(socket), peer.address());
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return wait();
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      log_error("cannot accept a connection: {}; raise the limit of open files (ulimit -n)",
                std::strerror(errno));
      return pause();
    } else if (errno == EBADF || errno == EINVAL) {
      return;
    }
    // Anything else is about that one connection, which is gone already.
  }
}

void Listener::pause() {
  timer_.expires_after(std::chrono::milliseconds(100));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) accept_all();
  });
}

}  // namespace roost
