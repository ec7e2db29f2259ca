#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "infer/servant.h"
#include "net/http.h"

namespace roost {

// What is the same for all requests of a servant, around its handlers: unpacking and packing bodies, errors in the form
// of the protocol, Retry-After, origins of browsers, counting, and the end. Thread-safe.
class Answering {
 public:
  using ErrorForm = Response (*)(const Error&);
  using Handle = std::function<Result<Response>(Request&)>;

  Answering(std::uint64_t max_body_bytes, const std::string& cors_origins);

  Handler around(ErrorForm form, Handle handle);
  // Answers a browser that asks whether it may.
  Handler preflight();

  ServantLoad load() const;
  // Refuses what comes from now on; returns when the rest is answered, or after so long.
  void stop(std::chrono::milliseconds longest);

 private:
  Response answer(Request& request, ErrorForm form, const Handle& handle);
  void allow_origin(const Request& request, Response& response) const;
  bool enter();
  void leave(int status);

  const std::uint64_t max_body_bytes_;
  bool any_origin_ = false;
  std::vector<std::string> origins_;

  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> errors_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t in_flight_ = 0;
  bool stopped_ = false;
};

}  // namespace roost
