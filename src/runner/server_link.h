#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "client/api_client.h"

namespace roost {

// A runner's connection to a server that may restart, also at another address: calls are repeated,
// with the address read anew from the server file, until one is answered. Not thread-safe.
class ServerLink {
 public:
  // `stop` ends the repeating.
  ServerLink(std::string server_file, std::string token, const std::atomic<bool>& stop)
      : server_file_(std::move(server_file)), token_(std::move(token)), stop_(stop) {}

  // Calls `work` until it gives something else than kUnavailable, kDeadlineExceeded or
  // kResourceExhausted (a full disk there may be cleared).
  Result<Json> persist(const std::function<Result<Json>(ApiClient&)>& work);
  // Calls `work` once; kUnavailable if no server can be found now.
  Result<Json> once(const std::function<Result<Json>(ApiClient&)>& work);
  // The client for a call of another shape; null if there is no server now.
  ApiClient* client();
  void forget() { client_.reset(); }
  const std::string& url() const { return url_; }
  const std::string& ca_file() const { return ca_file_; }

 private:
  std::string server_file_;
  std::string token_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<ApiClient> client_;
  std::string url_;
  std::string ca_file_;
};

}  // namespace roost
