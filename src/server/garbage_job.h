#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "server/garbage_parts.h"

namespace roost {

// Removes what nobody needs, on a thread of its own, piece by piece while everything else goes on. One at a
// time; one thing that cannot be read or removed is told of and does not end it. Thread-safe.
class GarbageJob {
 public:
  // Unless told: what was stored within a day may be for something that is about to name it.
  static constexpr std::int64_t kGraceSeconds = 86'400;

  explicit GarbageJob(GarbageParts parts) : parts_(std::move(parts)) {}
  ~GarbageJob() { stop(); }

  // Begins one, or joins the one under way. `verify` also reads every named blob through.
  Json start(std::int64_t grace_seconds, bool verify);
  // The newest since the server was started; null if there was none.
  Json state() const;
  void stop();

 private:
  struct Report {
    std::string id;
    std::string status;  // "running", "done", "failed", "stopped"
    std::string phase;   // "snapshots", "names", "blobs", "verify", "folders"; "" at the end
    double progress = 0;
    std::int64_t grace_seconds = 0;
    bool verify = false;
    BlobStore::Swept swept;
    std::int64_t damaged = 0;
    std::int64_t cache_files = 0;
    std::int64_t node_folders = 0;
    std::vector<std::string> problems;
    Micros started = 0;
    Micros ended = 0;
  };
  void work(const std::stop_token& stop);
  Status sweep(const std::stop_token& stop, Micros grace);
  void enter(const char* phase, double progress);
  void end(const char* status);
  void tell(std::string problem);
  Json to_json() const;  // with mutex_ held

  const GarbageParts parts_;
  mutable std::mutex mutex_;
  Report report_;
  std::jthread thread_;
};

}  // namespace roost
