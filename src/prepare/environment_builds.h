#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/wake.h"
#include "db/database.h"
#include "prepare/environment_builder.h"
#include "prepare/environment_cache.h"
#include "prepare/prepare_environment.h"
#include "records/changes.h"

namespace roost {

struct BuildState {
  std::string status;  // "queued", "building", "built", "failed"
  std::string message;
};

// What building needs. Built by the object graph; everything in it outlives it.
struct BuildParts {
  Database& db;
  EnvironmentCache& cache;
  EnvironmentBuilder& builder;
  const BuildSettings& settings;
  Changes& changes;
  Wake& wake;
  const Clock& clock;
  // Gives the run's build log, which observe/ keeps, what it lacks of the text; true if it lacked something.
  std::function<bool(const std::string& run, const std::string& log)> copy_log;
};

// Builds environments, by a builder whose processes die with the server: one build per digest however many runs wait for it, several digests side by side. What a
// build prints goes into the log of every run that waits, live. Thread-safe.
class EnvironmentBuilds {
 public:
  explicit EnvironmentBuilds(BuildParts parts) : parts_(std::move(parts)) {}
  ~EnvironmentBuilds() { stop(); }

  // Takes up the builds that runs in Preparing wait for, as after a restart.
  Status resume();
  void stop();

  // Starts the build, or joins it. `run` ("" for nobody) is Queued or Failed when it has ended.
  void request(const BuildRequest& build, const std::string& run);

  // The run waits no longer: a build that nobody waits for ends, with every process it started.
  void leave(const std::string& run);

  std::optional<BuildState> state(const std::string& digest) const;
  // What a build under way has printed so far.
  std::optional<std::string> log(const std::string& digest) const;

 private:
  struct Build {
    BuildRequest request;
    std::set<std::string> runs;
    bool started = false;
    bool wanted = false;     // asked for by itself, not for a run
    bool abandoned = false;  // nobody waits for it any more; it is being ended
    int pid = 0;
    std::string log;
  };

  void work();
  void build_one(const std::string& digest);
  // After a build that failed: true if it was ended because nobody waited for it. It begins anew if somebody does now.
  bool was_abandoned(const std::string& digest);
  Result<CachedEnvironment> run_builder(const std::string& digest, const BuildRequest& request);
  void add_log(const std::string& digest, std::string_view text);
  // Gives each run what it lacks of the log.
  void copy_log(const std::set<std::string>& runs, const std::string& log);
  // Moves the runs that waited; tries again while the disk is full.
  void settle(const std::set<std::string>& runs, const Result<CachedEnvironment>& result);
  void finish(const std::string& digest, const Result<CachedEnvironment>& result);

  const BuildParts parts_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::map<std::string, Build> builds_;
  std::map<std::string, std::string> failures_;  // digest -> why the last build failed
  std::vector<std::thread> threads_;
};

}  // namespace roost
