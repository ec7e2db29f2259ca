#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and query, already encoded
  std::map<std::string, std::string> headers;
  std::string_view body;
  // Instead of body: called until it returns an empty piece; needs body_length.
  std::function<Result<std::string>()> body_source;
  std::uint64_t body_length = 0;
  // With it the answer's body (of a 2xx) is handed over piece by piece as it arrives; false ends
  // early.
  std::function<bool(std::string_view)> on_data;
};

struct ClientResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // empty when on_data took it
};

// A blocking HTTP/1.1 client with one kept-alive connection; not thread-safe, so one per thread.
// A kept connection that the server closed meanwhile is noticed before anything is sent. A request
// that fails on one before any answer byte came is sent once more on a new one if it is idempotent
// (GET, HEAD, PUT, DELETE) and has no body_source; a POST is not, since it may have been carried
// out. kUnavailable: no connection or it broke; kDeadlineExceeded: no byte for `idle_timeout`. An
// answer that comes before the request was sent to its end (401, 413, ...) is returned like any
// other.
class HttpClient {
 public:
  struct Options {
    std::chrono::milliseconds connect_timeout{5000};
    std::chrono::milliseconds idle_timeout{60000};
    std::string ca_file;  // PEM trusted besides the system's, for https
  };
  // `url` like "http://127.0.0.1:8422" or "https://host"; a path in it is kept as a prefix.
  HttpClient(std::string url, Options options);
  explicit HttpClient(std::string url) : HttpClient(std::move(url), Options()) {}
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  Result<ClientResponse> send(const ClientRequest& request);
  const std::string& url() const;
  // Ends the send() under way on another thread, or else the next one: it returns kUnavailable. The
  // only call allowed there.
  void interrupt();

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace roost
