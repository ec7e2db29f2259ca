#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/loop.h"
#include "net/router.h"

namespace roost {

struct TlsFiles {
  std::string certificate;  // PEM, the chain; empty for plain HTTP
  std::string key;          // PEM
};

// After how long a peer that does nothing is given up.
struct HttpTimeouts {
  std::chrono::milliseconds idle{60'000};   // between requests
  std::chrono::milliseconds first{10'000};  // before the first one: nothing is known of who that is
  std::chrono::milliseconds head{10'000};   // from a request's first byte to the end of its headers
  std::chrono::milliseconds stall{60'000};  // no byte of a body comes, or none of an answer goes
  std::chrono::milliseconds linger{2'000};  // reading on after an early answer, so that it arrives
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  TlsFiles tls;
  int io_threads = 1;
  int worker_threads = 8;
  int most_workers = 0;  // while all of them are busy; 0: no more than there are
  // Most connections at once; 0: as many as there can be. One more takes the place of the one that has waited
  // longest to send something, and is closed itself if all are at work.
  std::size_t most_connections = 0;
  // Of one address at once, with more for loopback (AddressLimit); 0: any number. One more is answered 503 and closed.
  std::size_t address_connections = 0;
  std::string extra_head;  // whole header lines, each with its CRLF, that every answer carries
  // Further worker pools, by their number of threads: routes of lane 1 have the first. What must not wait behind the
  // rest has one of its own.
  std::vector<int> lanes;
  int most_uploads = 1024;  // handlers that wait for their request's body, each on a thread
  // All bodies that are held in memory together, but for small ones; who comes when it is full is told to come back.
  std::uint64_t body_memory = 1ULL << 30;
  // Body of an error the server itself answers with (no route, bad request, too large, ...).
  std::function<std::string(const Error&)> error_body;
  // Called on the worker thread before a route's handler; a value returned is the answer instead. A
  // body that the route does not stream has been read by then.
  std::function<std::optional<Response>(Request&, const Route&)> before;
  // Called when a request's head is there, on an io thread, so it must not block. What it returns is kept until the
  // request is answered; an error is the answer (kUnavailable: with Retry-After), and whether the log tells of it is its
  // own affair. None: everybody may come.
  std::function<Result<std::shared_ptr<void>>(const Request&, const Route&)> admit;
  // Called after each answered request: operation ("" if no route was found), status, seconds (for
  // streams: until the headers). On an io thread, so it must not block.
  std::function<void(const std::string& operation, int status, double seconds)> observed;
  HttpTimeouts timeouts;
};

// HTTP/1.1 with keep-alive, pipelined requests answered in order, optional TLS. Handlers are plain
// blocking functions and run on a worker pool, that of their lane; those of routes that stream their request body have
// threads of their own, so that slow uploads cannot hold up the others, nor each other. Streams
// (ResponseStream) cost no thread while they wait. A handler that throws is answered with 500.
class HttpServer {
 public:
  // Binds and listens, so that the port is known and connections queue; serves after start().
  static Result<std::unique_ptr<HttpServer>> listen(HttpServerOptions options, Router router);
  ~HttpServer();  // stops

  std::uint16_t port() const;
  void start();
  // Listens there as well, after start(); port 0: any free one. Any thread. Requests tell by their local_port.
  Result<std::uint16_t> also_listen(const std::string& address, std::uint16_t port);
  // Ends that; connections that came stay.
  void no_longer_listen(std::uint16_t port);
  // Of the connections that the first io thread serves: all of them if there is one such thread.
  Loop& loop();
  // Closes the listener and idle connections, cuts streams off, lets handlers in flight finish and
  // answer (their body readers fail with kUnavailable), and returns when all handlers and streams
  // are gone. Not to be called from a handler. Calling it again does nothing.
  void stop();

 private:
  class Server;
  explicit HttpServer(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

// Makes a self-signed certificate for `host_names` valid ten years into the two files (key mode
// 0600).
Status make_self_signed(const std::string& certificate_path, const std::string& key_path,
                        const std::vector<std::string>& host_names);

}  // namespace roost
