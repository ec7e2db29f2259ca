#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace roost {

// The body of a request too large for memory. Called on the handler's worker thread; blocks until
// the next piece came from the peer. An empty piece is the end. kUnavailable if the peer went away.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  virtual Result<std::string> read() = 0;
};

struct Request {
  std::string id;      // of this request alone; the answer has it as X-Request-Id
  std::string method;  // upper case
  std::string target;  // path and query as they came, still encoded; always starts with '/'
  std::string path;    // decoded, without the query; always starts with '/'
  std::multimap<std::string, std::string> query;  // decoded
  std::string query_text;                         // as it came, without the question mark
  std::map<std::string, std::string> headers;     // names in lower case
  std::map<std::string, std::string> parameters;  // {name} parts of the matched route, decoded
  std::string body;                               // whole, unless the route streams it
  BodyReader* body_stream = nullptr;              // only for routes that stream
  bool peer_is_loopback = false;
  std::string peer;  // its address
  std::uint16_t local_port = 0;  // the one it came to
  // For check_head of a route that answers later: the longest body this request may have, if less than the route takes.
  std::optional<std::uint64_t> body_limit;

  std::string header(const std::string& name) const;                      // "" when absent
  std::optional<std::string> query_value(const std::string& name) const;  // the first
};

// A response body made piece by piece, possibly for as long as a run lives. next() is called on a
// worker thread, never concurrently, and must not block for news: it answers kWait instead, and the
// connection sleeps until the wake function it was given by set_wake() is called (any thread, any
// number of times, also before next()) or `max_wait_ms` passed, then next() is called again.
class ResponseStream {
 public:
  enum class Step { kData, kWait, kEnd };
  virtual ~ResponseStream() = default;
  virtual void set_wake(std::function<void()>) {}
  virtual Step next(std::string& piece) = 0;
  int max_wait_ms = 1000;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::map<std::string, std::string> headers;  // further ones
  std::string body;
  std::unique_ptr<ResponseStream> stream;      // instead of body
  std::optional<std::uint64_t> stream_length;  // sends Content-Length instead of chunks
  bool is_expected = false;                    // also a status from 500 on is no line in the log
};

using Handler = std::function<Response(Request&)>;

// The answer to a request, given later: once, on any thread.
using Answer = std::function<void(Response)>;

// For what waits without a thread. Called on the connection's own thread (a Loop), so it must not block; the request
// lives until the answer was given. What it returns, if anything, is called there, at most once, if the peer goes away
// before that; an answer is due all the same.
using LaterHandler = std::function<std::function<void()>(Request&, Answer)>;

// How long a body a route takes, and whether the handler reads it piece by piece.
struct BodyRule {
  std::uint64_t limit = 1 << 20;
  bool stream = false;
};

}  // namespace roost
