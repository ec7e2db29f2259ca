#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "runner/server_link.h"

namespace roost {

struct NodeSettings {
  std::string node;
  std::string server_file;
  std::filesystem::path folder;  // this node's own
  std::filesystem::path cache;   // shared by the nodes of this machine
  std::filesystem::path sdk;     // for PYTHONPATH
  std::string gpus;              // for CUDA_VISIBLE_DEVICES
  bool machine_has_gpus = false;
  Fd output_watch;  // inotify; one for all attempts, because closing it takes the kernel 10 ms
};

// One attempt of a run on this node, from staging to the report. run() must be called on the
// runner's main thread; cancel() and abandon() may come from others.
class AttemptRun {
 public:
  AttemptRun(const NodeSettings& settings, Json order);
  ~AttemptRun();

  // stage inputs -> launch -> stream while it runs -> collect outputs -> report -> clean up. Goes on
  // however long the server is away. Ends without a report once the attempt was given up.
  void run();

  // SIGTERM to everything the attempt runs, SIGKILL after the grace.
  void cancel(int grace_seconds);
  // The server wants nothing more of this attempt: end it at once.
  void abandon();

  const std::string& run_id() const { return run_id_; }
  std::int64_t attempt() const { return attempt_; }

 private:
  struct Outcome;
  Status stage();
  Status stage_data();
  void remove(const std::filesystem::path& folder);
  std::filesystem::path input_path(const Json& input) const;
  void follow(Outcome& outcome);
  Result<struct LaunchSpec> launch_spec();
  Result<struct ImageRoot> image_root() const;
  bool ship_all();
  void report(Outcome& outcome);
  Result<Json> call(const std::string& what, const Json& body);
  // True if the answer means that this attempt was given up.
  bool is_fenced(const Error& error) const;

  const NodeSettings& settings_;
  const Json order_;
  const std::string run_id_;
  const std::int64_t attempt_;
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> outside_;  // what was laid out, to be removed at the end
  std::atomic<bool> abandoned_ = false;
  std::atomic<int> cancel_grace_ = -1;
  Fd wake_;
  ServerLink server_;
  std::unique_ptr<class StreamFiles> streams_;
};

}  // namespace roost
