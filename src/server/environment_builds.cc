#include "server/environment_builds.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "base/files.h"
#include "base/inside_write.h"
#include "base/log.h"
#include "builders/disk_space.h"
#include "records/run_records.h"
#include "base/report_error.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kSideBySide = 2;
constexpr std::size_t kMostLog = 16 << 20;
constexpr int kEndAll = SIGQUIT;  // has supervise() in the builder's process end everything below it

Result<pid_t> spawn_builder(const std::string& program, const fs::path& order, const fs::path& result,
                            int output) {
  check_outside_write("starts a program");
  const std::vector<std::string> words = {program, "build-environment", "--order", order.string(), "--result",
                                          result.string()};
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "start a build: " + program);
  return pid;
}

// The builder's answer: what it built, or the line that matters.
Result<BuiltEnvironment> read_result(const fs::path& file) {
  const auto text = read_file(file);
  const Json json = text ? stored_json(*text) : Json();
  if (!json.is_object()) {
    return fail(ErrorCode::kUnavailable, "the build was ended before it was done");
  }
  if (json.contains("error")) return fail(ErrorCode::kFailedPrecondition, text_at(json, "error"));
  return built_from(json);
}

// An error in words that say what to do, if it is a full disk.
Error without_space(const Error& error, const fs::path& folder) {
  if (error.code != ErrorCode::kResourceExhausted) return error;
  return {error.code, no_space_message(folder.parent_path().string())};
}

}  // namespace

Status EnvironmentBuilds::resume() {
  std::vector<Run> preparing;
  ROOST_CHECK(app_.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const auto active, active_runs(tx));
    for (const auto& run : active) {
      if (run.status == RunStatus::kPreparing) preparing.push_back(run);
    }
    return {};
  }));
  for (const auto& run : preparing) {
    if (auto build = build_of(run, app_.build_settings)) request(*build, run.id);
  }
  return {};
}

void EnvironmentBuilds::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [digest, build] : builds_) {
      if (build.pid > 0) ::kill(build.pid, kEndAll);
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
    if (build.pid > 0) ::kill(build.pid, kEndAll);
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
  if (app_.environments->has(digest)) return BuildState{"built", ""};
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
  if (auto cached = app_.environments->find(digest, app_.clock.now())) {
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
  const fs::path folder = app_.environments->new_folder(digest);
  const fs::path order_file = folder.string() + ".order";
  const fs::path result_file = folder.string() + ".result";
  const BuildOrder order{request.plan, request.lock, folder.string(), app_.build_settings};
  if (auto written = write_file_atomic(order_file, to_text(build_order_json(order))); !written) {
    return fail(without_space(written.error(), folder));
  }
  const auto clean = [&] {
    std::error_code error;
    fs::remove(order_file, error);
    fs::remove(result_file, error);
  };
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  auto pid = spawn_builder(program_, order_file, result_file, writer.get());
  writer.reset();
  if (!pid) {
    clean();
    return fail(pid.error());
  }
  {
    const std::lock_guard lock(mutex_);
    builds_[digest].pid = *pid;
    if (stopping_ || builds_[digest].abandoned) ::kill(*pid, kEndAll);
  }
  char buffer[16384];
  for (;;) {
    const ssize_t count = ::read(reader.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    add_log(digest, {buffer, static_cast<std::size_t>(count)});
  }
  {
    // Not a moment longer than the process can be named by its number.
    const std::lock_guard lock(mutex_);
    builds_[digest].pid = 0;
  }
  while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  auto built = read_result(result_file);
  clean();
  if (!built) {
    if (auto removed = remove_tree(folder); !removed) log_warning("{}", removed.error().message);
    return fail(built.error());
  }
  const Micros now = app_.clock.now();
  if (auto kept = app_.environments->keep(digest, folder, *built, now); !kept) {
    if (auto removed = remove_tree(folder); !removed) log_warning("{}", removed.error().message);
    return fail(without_space(kept.error(), folder));
  }
  auto kept = app_.environments->find(digest, now);
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
    // A run that joined later gets what it missed; an earlier server's try stays before ours.
    const std::uint64_t have = app_.logs->size(run, 0, std::string(kBuildLog)).value_or(0);
    if (have >= log.size()) continue;
    (void)app_.logs->append(run, 0, std::string(kBuildLog), have, std::string_view(log).substr(have));
    app_.changes.run_changed(run);
  }
}

void EnvironmentBuilds::settle(const std::set<std::string>& runs, const Result<CachedEnvironment>& result) {
  // On a full disk the database may refuse; nobody else would ever take up these runs again.
  for (bool told = false;;) {
    const Status settled = app_.db->write([&](Tx& tx) -> Status {
      for (const auto& id : runs) {
        ROOST_TRY(Run run, find_run(tx, id));
        if (run.status != RunStatus::kPreparing) continue;  // canceled meanwhile
        ROOST_CHECK(result ? settle_built(tx, run, *result, app_.clock.now())
                           : settle_failed(tx, run, result.error().message, app_.clock.now()));
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
  if (!text.empty()) (void)write_file_atomic(app_.environments->log_file(digest), text);
  Build build;
  {
    const std::lock_guard lock(mutex_);
    build = std::move(builds_[digest]);
    builds_.erase(digest);
    if (!result) failures_[digest] = result.error().message;
  }
  copy_log(build.runs, text);
  settle(build.runs, result);
  for (const auto& run : build.runs) app_.changes.run_changed(run);
  app_.wake.notify();
}

}  // namespace roost
