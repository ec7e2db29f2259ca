#pragma once

// For the tests of net/ only: a server on a free port and a bare socket to it.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "net/http_client.h"
#include "net/http_server.h"

namespace roost {

// Something one thread waits for and another announces.
class Signal {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool wait(std::chrono::seconds limit = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

class TestServer {
 public:
  void route(std::string method, std::string pattern, Handler handler, BodyRule body = {}) {
    router.add({std::move(method), pattern, "op:" + pattern, body, std::move(handler)});
  }
  void start() {
    auto made = HttpServer::listen(options, std::move(router));
    ASSERT_TRUE(made) << made.error().message;
    server = std::move(*made);
    server->start();
  }
  std::string url() const {
    return (options.tls.certificate.empty() ? "http://" : "https://") + options.address + ":" +
           std::to_string(server->port());
  }

  HttpServerOptions options;
  Router router;
  std::unique_ptr<HttpServer> server;
};

inline Response text_response(std::string text, int status = 200) {
  Response response;
  response.status = status;
  response.content_type = "text/plain";
  response.body = std::move(text);
  return response;
}

// A stream made of a function.
class FunctionStream final : public ResponseStream {
 public:
  explicit FunctionStream(std::function<Step(std::string&)> function)
      : function_(std::move(function)) {}
  ~FunctionStream() override {
    if (destroyed) destroyed->set();
  }
  void set_wake(std::function<void()> wake) override {
    if (on_wake) on_wake(std::move(wake));
  }
  Step next(std::string& piece) override { return function_(piece); }

  std::function<void(std::function<void()>)> on_wake;
  std::shared_ptr<Signal> destroyed;

 private:
  std::function<Step(std::string&)> function_;
};

class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port, int receive_buffer = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{20, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (receive_buffer > 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
  }

  // False once the server has closed the connection.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Everything up to and with `end`; what came before the connection ended if it never comes.
  std::string read_until(std::string_view end) {
    for (;;) {
      if (const std::size_t at = pending_.find(end); at != std::string::npos) {
        std::string text = pending_.substr(0, at + end.size());
        pending_.erase(0, at + end.size());
        return text;
      }
      if (!receive()) return std::exchange(pending_, std::string());
    }
  }
  // "<status> <body>" of the next response, which must have a Content-Length; "" at the end.
  std::string read_response() {
    const std::string head = read_until("\r\n\r\n");
    if (head.size() < 12) return head;
    const std::size_t at = head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
    while (pending_.size() < length && receive()) {
    }
    last_head = head;
    std::string body = pending_.substr(0, length);
    pending_.erase(0, length);
    return head.substr(9, 3) + " " + body;
  }
  // Waits for the server to close the connection, in an orderly way.
  bool ends() {
    pending_.clear();
    while (receive()) pending_.clear();
    return ended_;
  }
  void shut_down_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  int fd() const { return fd_.get(); }

  std::string last_head;

 private:
  bool receive() {
    char buffer[16384];
    const ssize_t size = ::recv(fd_.get(), buffer, sizeof buffer, 0);
    ended_ = size == 0;
    if (size > 0) pending_.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  }

  Fd fd_;
  std::string pending_;
  bool ended_ = false;
};

}  // namespace roost
