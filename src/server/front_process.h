#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "endpoints/endpoint_parts.h"

namespace roost {

// How the front is started, and where it writes of itself: <data>/serving.
struct FrontSettings {
  std::string program;
  std::filesystem::path data;
  std::string address;
  std::int64_t port = 0;  // 0: the one of last time, else any
  std::string host;       // by which others reach it
  std::string certificate;
  std::string key;
};

// `roost front` as a process in a session of its own. It is found again after a restart by what it wrote of itself, and
// started again when it has ended. Thread-safe.
class FrontProcess final : public FrontLink {
 public:
  FrontProcess(FrontSettings settings, const Clock& clock) : settings_(std::move(settings)), clock_(clock) {}

  Status ensure() override;
  Result<Json> statistics() override;
  Result<std::string> metrics();  // Prometheus text
  // "http://host:port"; "" while there is none.
  std::string url();
  // Ends it, for `roost down`.
  void end();

 private:
  Json read_file_of_front() const;
  bool is_alive(const Json& front);
  Status start();
  bool child_lives();
  Result<std::string> get(const char* path);
  std::string url_locked();

  const FrontSettings settings_;
  const Clock& clock_;
  std::mutex mutex_;
  Micros started_ = 0;  // steady, when it was last started; 0: not by this server
  int spawned_ = 0;     // our child, also before it has written of itself
};

}  // namespace roost
