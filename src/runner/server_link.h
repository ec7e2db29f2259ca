#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/retry.h"
#include "client/api_client.h"

namespace roost {

// A connection that one attempt leaves to the next, which saves the server and the runner making one for each run.
// For one thread.
class SpareClient {
 public:
  void give(std::unique_ptr<ApiClient> client);
  // With the token of `address`; null if there is none, or it leads to another server.
  std::unique_ptr<ApiClient> take(const ServerAddress& address);

 private:
  std::unique_ptr<ApiClient> client_;
};

// A runner's connection to a server that may restart, also at another address, and may be in trouble: calls are
// repeated, with the address read anew from the server file, until one is answered. Not thread-safe.
class ServerLink {
 public:
  using Work = std::function<Result<Json>(ApiClient&)>;
  // A hundred years: the largest number of milliseconds is more nanoseconds than there are.
  static constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365 * 100);

  // Only the server of the data folder `data_id` is believed, if that is not "". `stop` ends the repeating. A
  // connection is taken from `spare`, if there is one, and is left to it by leave().
  ServerLink(std::string server_file, std::string data_id, std::string token, const std::atomic<bool>& stop,
             SpareClient* spare = nullptr)
      : server_file_(std::move(server_file)),
        data_id_(std::move(data_id)),
        token_(std::move(token)),
        stop_(stop),
        spare_(spare) {}

  // Calls `work` until it succeeds. Gives back an error only if repeating cannot change it: is_given_up(),
  // is_refusal() a few times over, or one in `own`, which failed on this side. Whatever else the server answers,
  // also "not found" or "not allowed", is its own trouble and may pass: it is told once, and tried again with
  // growing pauses, for `patience` from the first such answer; a server that is away does not count.
  Result<Json> persist(const Work& work, const Status& own = {}, std::chrono::milliseconds patience = kForever);
  // Calls `work` once; kUnavailable if no server can be found now.
  Result<Json> once(const Work& work);
  // The client for a call of another shape; null if there is no server now.
  ApiClient* client();
  void forget() { client_.reset(); }
  // This was the last call for now.
  void leave();
  bool is_stopped() const { return stop_; }
  const std::string& url() const { return url_; }
  const std::string& ca_file() const { return ca_file_; }

 private:
  std::string server_file_;
  std::string data_id_;
  std::string token_;
  const std::atomic<bool>& stop_;
  SpareClient* const spare_;
  std::unique_ptr<ApiClient> client_;
  std::string url_;
  std::string ca_file_;
};

}  // namespace roost
