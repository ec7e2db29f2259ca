#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "net/client_tls.h"
#include "net/interrupt.h"
#include "net/url.h"

namespace roost {

// A client's connection, plain or TLS. Reading and writing never block; wait() does.
class ClientSocket {
 public:
  // Connects, within `timeout` for all of it. `tls` is for https only. kUnavailable says why not.
  static Result<std::unique_ptr<ClientSocket>> connect(const Url& url, SSL_CTX* tls,
                                                       std::chrono::milliseconds timeout,
                                                       Interrupt& interrupt);

  struct Outcome {
    std::size_t size = 0;  // bytes read or written, if none of the following
    short wants = 0;       // nothing yet: the event (POLLIN, POLLOUT) to wait for
    bool ended = false;    // the peer closed the connection
    std::string error;     // it broke
  };
  Outcome read(char* into, std::size_t size);
  Outcome write(std::string_view bytes);

  // Waits for any of `events` and returns those that came. kDeadlineExceeded after `timeout`,
  // kUnavailable when interrupted.
  Result<short> wait(short events, std::chrono::milliseconds timeout, Interrupt& interrupt) const;
  bool readable() const;

  // From here on TLS, for protocols that begin in the clear. Nothing of theirs may be unread.
  Status start_tls(const Url& url, SSL_CTX* context, std::chrono::steady_clock::time_point deadline,
                   Interrupt& interrupt);

 private:
  explicit ClientSocket(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
  TlsStream tls_;
  bool tls_broken_ = false;
};

}  // namespace roost
