#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "net/http_client.h"
#include "net/loop.h"

namespace roost {

struct UpstreamCall {
  std::string address;  // an IP address
  std::uint16_t port = 0;
  std::string method;   // as in the head
  std::string head;     // request line and headers, with the empty line after them
  std::shared_ptr<const std::string> body;  // may be null
  std::chrono::milliseconds connect_timeout{2000};
  std::chrono::steady_clock::time_point deadline;  // for the whole of it
  bool is_dispensable = false;  // see drop_dispensable()
};

struct UpstreamOutcome {
  enum class Kind {
    kAnswered,
    kNotConnected,  // nothing was sent: it may be sent elsewhere
    kBroke,         // after something was sent: what became of it nobody knows
    kLate,          // the deadline passed
  };
  Kind kind = Kind::kBroke;
  ClientResponse response;  // if answered
  std::string why;          // if not
};

// Sends requests to HTTP/1.1 servers from a loop, without blocking it, over connections that are kept: any number at once
// to each server, one request on each at a time. Never sends anything twice. All on the loop's thread.
class Upstreams {
 public:
  using Done = std::function<void(UpstreamOutcome)>;

  // `loop` is that of an HttpServer.
  explicit Upstreams(Loop& loop);
  // When the loop runs no more. What is under way is dropped.
  ~Upstreams();

  // `done` is called once, never before this returned.
  void send(UpstreamCall call, Done done);
  // Closes kept connections to a server that is not used any more.
  void forget(const std::string& address, std::uint16_t port);
  // Ends dispensable calls, as broken: whoever stops does not wait for them.
  void drop_dispensable();

 private:
  class Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace roost
