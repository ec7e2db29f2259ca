#include "prepare/environment_builds.h"

#include <chrono>

#include "base/files.h"
#include "base/log.h"
#include "base/report_error.h"
#include "builders/disk_space.h"
#include "records/run_records.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kSideBySide = 2;
constexpr std::size_t kMostLog = 16 << 20;

// An error in words that say what to do, if it is a full disk.
Error without_space(const Error& error, const fs::path& folder) {
  if (error.code != ErrorCode::kResourceExhausted) return error;
  return {error.code, no_space_message(folder.parent_path().string())};
}

}  // namespace

Status EnvironmentBuilds::resume() {
  std::vector<Run> preparing;
  ROOST_CHECK(parts_.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto active, active_runs(tx));
    for (const auto& run : active) {
      if (run.status == RunStatus::kPreparing) preparing.push_back(run);
    }
    return {};
  }));
  for (const auto& run : preparing) {
    if (auto build = build_of(run, parts_.settings)) request(*build, run.id);
  }
  return {};
}

void EnvironmentBuilds::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [digest, build] : builds_) {
      if (build.pid > 0) parts_.builder.end_build(build.pid);
    }
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void EnvironmentBuilds::request(const BuildRequest& request, const std::string& run) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;  // it stays in Preparing and is taken up by the next server
  failures_.erase(request.digest);
  Build& build = builds_[request.digest];
  if (build.request.digest.empty()) build.request = request;
  if (!run.empty()) build.runs.insert(run);
  if (run.empty()) build.wanted = true;
  if (threads_.empty()) {
    for (int i = 0; i < kSideBySide; ++i) threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

void EnvironmentBuilds::leave(const std::string& run) {
  const std::lock_guard lock(mutex_);
  for (auto it = builds_.begin(); it != builds_.end(); ++it) {
    Build& build = it->second;
    if (build.runs.erase(run) == 0) continue;
    if (!build.runs.empty() || build.wanted) return;
    log_info("nobody waits for the environment {} any more", it->first.substr(0, 12));
    if (!build.started) {
      builds_.erase(it);
      return;
    }
    build.abandoned = true;
    if (build.pid > 0) parts_.builder.end_build(build.pid);
    return;
  }
}

bool EnvironmentBuilds::was_abandoned(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  Build& build = builds_[digest];
  if (!build.abandoned) return false;
  if (build.runs.empty() && !build.wanted) {
    builds_.erase(digest);
    return true;
  }
  // Its processes are gone; what they printed stays before what the next ones print.
  build.abandoned = build.started = false;
  build.pid = 0;
  changed_.notify_one();
  return true;
}

std::optional<BuildState> EnvironmentBuilds::state(const std::string& digest) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = builds_.find(digest); it != builds_.end()) {
      return BuildState{it->second.started ? "building" : "queued", ""};
    }
    if (const auto it = failures_.find(digest); it != failures_.end()) {
      return BuildState{"failed", it->second};
    }
  }
  if (parts_.cache.has(digest)) return BuildState{"built", ""};
  return std::nullopt;
}

std::optional<std::string> EnvironmentBuilds::log(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto it = builds_.find(digest);
  if (it == builds_.end()) return std::nullopt;
  return it->second.log;
}

void EnvironmentBuilds::work() {
  for (;;) {
    std::string digest;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        if (stopping_) return true;
        for (auto& [name, build] : builds_) {
          if (build.started) continue;
          digest = name;
          build.started = true;
          return true;
        }
        return false;
      });
      if (stopping_) return;
    }
    if (take_turn("building an environment", [&] { build_one(digest); })) continue;
    take_turn("settling a build that threw", [&] {
      finish(digest, fail(ErrorCode::kInternal, "the server failed at building the environment; its log says why"));
    });
  }
}

void EnvironmentBuilds::build_one(const std::string& digest) {
  BuildRequest request;
  {
    const std::lock_guard lock(mutex_);
    request = builds_[digest].request;
  }
  // It may have been built between the look into the cache and the request.
  if (auto cached = parts_.cache.find(digest, parts_.clock.now())) {
    finish(digest, *cached);
    return;
  }
  log_info("building the environment {}", digest.substr(0, 12));
  const auto result = run_builder(digest, request);
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ && !result) return;  // the runs wait for the next server
  }
  if (!result && was_abandoned(digest)) return;
  if (!result) log_warning("the environment {} was not built: {}", digest.substr(0, 12), result.error().message);
  finish(digest, result);
}

Result<CachedEnvironment> EnvironmentBuilds::run_builder(const std::string& digest,
                                                         const BuildRequest& request) {
  const fs::path folder = parts_.cache.new_folder(digest);
  const BuildOrder order{request.plan, request.lock, folder.string(), parts_.settings};
  const EnvironmentBuilder::Hooks hooks{
      [&](int pid) {
        const std::lock_guard lock(mutex_);
        builds_[digest].pid = pid;
        if (pid > 0 && (stopping_ || builds_[digest].abandoned)) parts_.builder.end_build(pid);
      },
      [&](std::string_view text) { add_log(digest, text); }};
  auto built = parts_.builder.build(order, hooks);
  if (!built) {
    if (auto removed = remove_tree(folder); !removed) log_warning("{}", removed.error().message);
    return fail(without_space(built.error(), folder));
  }
  const Micros now = parts_.clock.now();
  if (auto kept = parts_.cache.keep(digest, folder, *built, now); !kept) {
    if (auto removed = remove_tree(folder); !removed) log_warning("{}", removed.error().message);
    return fail(without_space(kept.error(), folder));
  }
  auto kept = parts_.cache.find(digest, now);
  if (!kept) return fail(ErrorCode::kInternal, "the environment that was built has no interpreter");
  return std::move(*kept);
}

void EnvironmentBuilds::add_log(const std::string& digest, std::string_view text) {
  std::set<std::string> runs;
  std::string log;
  {
    const std::lock_guard lock(mutex_);
    Build& build = builds_[digest];
    if (build.log.size() < kMostLog) build.log += text;
    runs = build.runs;
    log = build.log;
  }
  copy_log(runs, log);
}

void EnvironmentBuilds::copy_log(const std::set<std::string>& runs, const std::string& log) {
  for (const auto& run : runs) {
    if (parts_.copy_log(run, log)) parts_.changes.run_changed(run);
  }
}

void EnvironmentBuilds::settle(const std::set<std::string>& runs, const Result<CachedEnvironment>& result) {
  // On a full disk the database may refuse; nobody else would ever take up these runs again.
  for (bool told = false;;) {
    const Status settled = parts_.db.write([&](Tx& tx) -> Status {
      for (const auto& id : runs) {
        ROOST_TRY(Run run, find_run(tx, id));
        if (run.status != RunStatus::kPreparing) continue;  // canceled meanwhile
        ROOST_CHECK(result ? settle_built(tx, run, *result, parts_.clock.now())
                           : settle_failed(tx, run, result.error().message, parts_.clock.now()));
      }
      return {};
    });
    if (settled) return;
    if (!told) log_error("settling the runs of a build: {}", settled.error().message);
    told = true;
    const ErrorCode code = settled.error().code;
    if (code != ErrorCode::kResourceExhausted && code != ErrorCode::kInternal) return;
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::seconds(1), [&] { return stopping_; })) return;
  }
}

void EnvironmentBuilds::finish(const std::string& digest, const Result<CachedEnvironment>& result) {
  // The reason comes into the log in the same moment as the state "failed", not before it. The file
  // first: whoever asks for the log while the build goes away finds one or the other.
  std::string text = log(digest).value_or("");
  if (!result) text += "\n" + result.error().message + "\n";
  if (!text.empty()) (void)write_file_atomic(parts_.cache.log_file(digest), text);
  Build build;
  {
    const std::lock_guard lock(mutex_);
    build = std::move(builds_[digest]);
    builds_.erase(digest);
    if (!result) failures_[digest] = result.error().message;
  }
  copy_log(build.runs, text);
  settle(build.runs, result);
  for (const auto& run : build.runs) parts_.changes.run_changed(run);
  parts_.wake.notify();
}

}  // namespace roost
