#include "runner/attempt_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/router.h"
#include "runner/cgroup.h"
#include "runner/collect_outputs.h"
#include "runner/command_line.h"
#include "runner/environment_copy.h"
#include "runner/image_root.h"
#include "runner/launch.h"
#include "runner/process_tree.h"
#include "runner/stacks.h"
#include "runner/stage_inputs.h"
#include "runner/stream_files.h"

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr milliseconds kLook{100};         // how often spools and ./logs are looked at
constexpr milliseconds kBetweenShips{15};  // a script that prints much is shipped in pieces
constexpr milliseconds kAfterFailure{250};
constexpr std::int64_t kIdleTicks = 4;  // hundredths of a second of CPU between two looks
// For the processes that still run when one fails: what they say of it tells who is to blame.
constexpr milliseconds kLastWords{1000};
constexpr int kEvictGrace = 2;  // seconds; Slurm kills everything after KillWait
constexpr int kGangGrace = 5;  // seconds for the other processes, once one has failed

void drain(int fd) {
  char buffer[4096];
  while (::read(fd, buffer, sizeof buffer) > 0) {
  }
}

// How often the kernel of this machine has ended a process for want of memory.
std::int64_t out_of_memory_kills() {
  const auto text = read_file("/proc/vmstat");
  const std::size_t at = text ? text->find("oom_kill ") : std::string::npos;
  return at == std::string::npos ? 0 : std::atoll(text->c_str() + at + 9);
}

// A line of Roost's own in the script's log; one that is lost is no reason to fail.
void add_line(const fs::path& log, const std::string& text) {
  const Fd fd(::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (fd) (void)write_all(fd.get(), "roost: " + text + "\n", log.string());
}

}  // namespace

AttemptRun::AttemptRun(const NodeSettings& settings, Json order)
    : settings_(settings),
      order_(std::move(order)),
      run_id_(order_.value("run", "")),
      attempt_(order_.value("attempt", std::int64_t{0})),
      gang_(parse_gang(order_.value("gang", Json::object())).value_or(Gang{})),
      node_rank_(order_.value("node_rank", 0)),
      folder_(settings.folder / "runs" / fmt::format("{}-{}", run_id_, attempt_)),
      shared_(settings.cache.parent_path() / "shared" / fmt::format("{}-{}", run_id_, attempt_)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      server_(settings.server_file, order_.value("token", ""), abandoned_),
      streams_(std::make_unique<StreamFiles>(
          fmt::format("/attempts/{}/{}/streams", percent_encode(run_id_), attempt_))) {
  if (gang_.kind == Gang::Kind::kMpi) mpi_.emplace(folder_ / "mpi", settings.mpi_helper);
}

AttemptRun::~AttemptRun() = default;

void AttemptRun::cancel(int grace_seconds) {
  cancel_grace_ = grace_seconds;
  ::eventfd_write(wake_.get(), 1);
}

void AttemptRun::stop(int grace_seconds) {
  stop_grace_ = grace_seconds;
  ::eventfd_write(wake_.get(), 1);
}

void AttemptRun::go(const Json& nodes) {
  {
    const std::lock_guard lock(met_mutex_);
    met_ = nodes;
  }
  ::eventfd_write(wake_.get(), 1);
}

Json AttemptRun::take_stacks() const {
  const int supervisor = supervisor_;
  return supervisor > 0 ? roost::take_stacks(supervisor, folder_ / "stacks") : Json::array();
}

double AttemptRun::idle_seconds() {
  const auto now = steady_clock::now();
  const int supervisor = supervisor_;
  std::int64_t ticks = 0;
  if (supervisor > 0) {
    for (const auto& process : processes_below(supervisor)) ticks += process.ticks;
  }
  const std::int64_t bytes = bytes_shipped_;
  // A few ticks are the timers of sleeping processes.
  const bool active = bytes != bytes_seen_ || ticks > ticks_seen_ + kIdleTicks || ticks < ticks_seen_;
  if (active || supervisor == 0) last_active_ = now;
  bytes_seen_ = bytes;
  ticks_seen_ = ticks;
  return std::chrono::duration<double>(now - last_active_).count();
}

void AttemptRun::abandon() {
  abandoned_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void AttemptRun::evict() {
  if (evicted_.exchange(true)) return;
  log_info("run {}: this node is taken away", run_id_);
  cancel(kEvictGrace);
}

bool AttemptRun::is_fenced(const Error& error) const {
  return error.code == ErrorCode::kFailedPrecondition || error.code == ErrorCode::kUnauthenticated ||
         error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kNotFound;
}

Result<Json> AttemptRun::call(const std::string& what, const Json& body) {
  const std::string path = fmt::format("/attempts/{}/{}/{}", percent_encode(run_id_), attempt_, what);
  return server_.persist([&](ApiClient& api) { return api.post(path, body); });
}

void AttemptRun::run() {
  log_info("run {} attempt {}: staging", run_id_, attempt_);
  Outcome outcome;
  if (const Status staged = stage(); !staged) {
    outcome.fail("staging_failed", staged.error());
  } else if (const auto met = meet(); !met) {
    outcome.fail("launch_failed", met.error());
  } else if (*met) {
    follow(outcome);
  } else {
    outcome.exited = SystemClock().now();
  }
  // What lies outside goes before the end is told: a next run may want the same place.
  for (const auto& made : outside_) remove(made);
  if (!abandoned_) report(outcome);
  remove(folder_);
}

void AttemptRun::remove(const fs::path& folder) {
  if (const Status removed = remove_tree(folder); !removed) {
    log_warning("run {}: {}", run_id_, removed.error().message);
  }
}

Status AttemptRun::stage() {
  ROOST_CHECK(remove_tree(folder_));
  const fs::path code = folder_ / "code";
  ROOST_CHECK(make_folders(folder_ / "spool"));
  ROOST_CHECK(make_folders(folder_ / "stacks"));
  if (mpi_) {
    ROOST_CHECK(make_folders(mpi_->folder() / "tmp"));
    streams_->add_file(launcher_log(node_rank_), mpi_->launcher_log());
  }
  if (order_.contains("snapshot") && order_["snapshot"].is_string()) {
    ROOST_CHECK(stage_snapshot(server_, order_["snapshot"], settings_.cache, code));
  }
  ROOST_CHECK(stage_data());
  if (settings_.joined) ROOST_CHECK(bring_environment(server_, settings_.cache, order_));
  for (const char* name : {"outputs", "logs"}) ROOST_CHECK(make_folders(code / name));
  ROOST_CHECK(restore_outputs(server_, order_.value("outputs", Json::array()), settings_.cache, code));
  // The nodes of a gang write files of the same name: those after the first have a folder each.
  const std::string below = node_rank_ == 0 ? "" : fmt::format("node_{}/", node_rank_);
  streams_->add_folder("logs/" + below, code / "logs", false);
  streams_->add_folder("spool/" + below, folder_ / "spool", true);
  return {};
}

Result<bool> AttemptRun::meet() {
  NodeFacts own{settings_.node, settings_.address, network_of(settings_.address), {},
                settings_.joined ? settings_.node : machine_id(), ""};
  if (!gang_.is_single()) {
    const fs::path shared = settings_.cache.parent_path() / "shared";
    ROOST_CHECK(make_folders(shared_));
    // The first node was there first and is the last to need it.
    if (node_rank_ == 0) outside_.push_back(shared_);
    ROOST_TRY(ports_, PortHold::take(shared / "ports", kMasterPort, ports_needed(gang_)));
    own.ports = ports_->ports();
    own.shared = shared.string();
  }
  nodes_ = {own};
  if (gang_.nodes > 1) {
    Json body = {{"node_rank", node_rank_}, {"facts", node_facts_json(own)}};
    if (const auto told = call("ready", body); !told) {
      if (is_fenced(told.error())) abandon();
      else return fail(told.error());
    }
    log_info("run {} attempt {}: ready, waiting for the other nodes", run_id_, attempt_);
    if (!wait_until([this] { return !met_.is_null(); })) return false;
    nodes_.clear();
    const std::lock_guard lock(met_mutex_);
    for (const auto& node : met_) {
      ROOST_TRY(NodeFacts facts, parse_node_facts(node));
      nodes_.push_back(std::move(facts));
    }
  }
  for (auto& process : plan_ranks(gang_, nodes_, node_rank_, fmt::format("{}-{}", run_id_, attempt_))) {
    Rank rank;
    rank.log = mpi_ ? mpi_->rank_log(process.rank) : folder_ / fmt::format("rank-{}.log", process.rank);
    rank.process = std::move(process);
    const Fd log(::open(rank.log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!log) return fail_errno(errno, "make the log file");
    streams_->add_file(rank_log(gang_, rank.process.rank), rank.log);
    ranks_.push_back(std::move(rank));
  }
  return true;
}

bool AttemptRun::wait_until(const std::function<bool()>& is_there) {
  for (;;) {
    {
      const std::lock_guard lock(met_mutex_);
      if (is_there()) return true;
    }
    if (settings_.is_evicted && settings_.is_evicted()) evict();
    if (abandoned_ || cancel_grace_ >= 0 || stop_grace_ >= 0) return false;
    pollfd wait{wake_.get(), POLLIN, 0};
    ::poll(&wait, 1, 1000);
    drain(wake_.get());
  }
}

Status AttemptRun::stage_data() {
  for (const auto& input : order_.value("inputs", Json::array())) {
    const fs::path place = input_path(input);
    std::error_code error;
    if (fs::exists(place, error) && !fs::is_empty(place, error)) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the input {} should go to {}, which exists already on the node; choose "
                              "another path",
                              input.value("name", ""), place.string()));
    }
    if (!place.string().starts_with(folder_.string() + "/")) outside_.push_back(place);
    ROOST_CHECK(stage_snapshot(server_, input.value("content", ""), settings_.cache, place));
  }
  return {};
}

bool AttemptRun::note_ends(Launched& launched, Outcome& outcome) {
  bool failed = false;
  for (const auto& end : mpi_ ? take_mpi_ends(launched) : launched.take_ends()) {
    Rank& rank = ranks_.at(static_cast<std::size_t>(end.index));
    rank.end = end;
    rank.stopped = stopping_since_ != 0 && end.at >= stopping_since_;
    if (end.launch_errno != 0) {
      outcome.outcome = "launch_failed";
      const auto program = order_program(order_, {}).front();
      outcome.message = errno_error(end.launch_errno, "start " + program).message;
    }
    if (end.exit_code == 0 || rank.stopped) continue;
    failed = true;
    failure_ = {{"node_rank", node_rank_}, {"rank", rank.process.rank}};
  }
  return failed && gang_.processes() > 1;
}

// The other nodes of the run hear of a failure through the server; however long that takes, the
// processes here end.
void AttemptRun::tell_failure() {
  if (failure_.is_null() || gang_.nodes == 1 || failure_.contains("told")) return;
  const std::string path = fmt::format("/attempts/{}/{}/failed", percent_encode(run_id_), attempt_);
  const auto told = server_.once([&](ApiClient& api) { return api.post(path, failure_); });
  if (told) failure_["told"] = true;
  if (!told && is_fenced(told.error())) abandon();
}

void AttemptRun::follow(Outcome& outcome) {
  auto spec = launch_spec();
  if (!spec) return outcome.fail("launch_failed", spec.error());
  const Limits limits = limits_from(order_.value("limits", Json()));
  const RunCgroup group = RunCgroup::make(limits, fmt::format("{}-{}-{}", run_id_, attempt_, node_rank_));
  spec->join_groups = group.join_fds();
  for (const auto& problem : group.problems()) add_line(ranks_.front().log, problem);
  // A watch goes when its file does.
  const int watch = settings_.output_watch.get();
  for (const auto& rank : ranks_) ::inotify_add_watch(watch, rank.log.c_str(), IN_MODIFY);
  if (mpi_) ::inotify_add_watch(settings_.mpi_watch.get(), mpi_->folder().c_str(), IN_MOVED_TO);
  if (mpi_ && !await_mpi_command(*spec)) {
    outcome.exited = SystemClock().now();
    return;
  }
  const std::int64_t kills_before = out_of_memory_kills();
  auto launched = Launched::start(*spec);
  if (!launched) return outcome.fail("launch_failed", launched.error());
  supervisor_ = launched->supervisor();
  log_info("run {} attempt {}: started", run_id_, attempt_);
  if (const auto told = call("started", {{"node_rank", node_rank_}}); !told && is_fenced(told.error())) abandon();

  keeper_.emplace(settings_.server_file, order_.value("token", ""),
                  fmt::format("/attempts/{}/{}/outputs", percent_encode(run_id_), attempt_), folder_ / "code",
                  node_rank_);
  std::optional<steady_clock::time_point> stop_at;
  std::optional<steady_clock::time_point> kill_at;
  auto next_ship = steady_clock::now();
  for (;;) {
    if (settings_.is_evicted && settings_.is_evicted()) evict();
    if (note_ends(*launched, outcome) && stop_grace_ < 0) stop_grace_ = kGangGrace;
    const int grace = cancel_grace_ >= 0 ? cancel_grace_.load() : stop_grace_.load();
    if (grace >= 0 && !stop_at) stop_at = steady_clock::now() + (cancel_grace_ >= 0 ? milliseconds(0) : kLastWords);
    if (cancel_grace_ >= 0 && stop_at) stop_at = std::min(*stop_at, steady_clock::now());
    if (abandoned_) {
      launched->kill();
    } else if (stop_at && steady_clock::now() >= *stop_at && !kill_at) {
      log_info("run {}: {}", run_id_, cancel_grace_ >= 0 ? "canceled" : "stopped, because a process failed");
      stopping_since_ = SystemClock().now();
      launched->terminate();
      kill_at = steady_clock::now() + std::chrono::seconds(grace);
    }
    if (kill_at && steady_clock::now() >= *kill_at) {
      launched->kill();
      kill_at = steady_clock::time_point::max();
    }
    if (launched->is_over()) break;
    if (mpi_) relay_for_mpi();
    bool more = false;
    if (steady_clock::now() >= next_ship) {
      const auto shipped = streams_->ship(server_);
      next_ship = steady_clock::now() + (shipped ? kBetweenShips : kAfterFailure);
      if (!shipped && is_fenced(shipped.error())) abandon();
      more = shipped && shipped->more;
      if (shipped) bytes_shipped_ += static_cast<std::int64_t>(shipped->bytes);
      if (more) next_ship = steady_clock::now();
      tell_failure();
    }
    pollfd waits[] = {{launched->report_fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0},
                      {settings_.mpi_watch.get(), POLLIN, 0}, {watch, POLLIN, 0}};
    milliseconds timeout = more ? milliseconds(0) : kLook;
    if (kill_at && *kill_at != steady_clock::time_point::max()) {
      const auto left = std::chrono::duration_cast<milliseconds>(*kill_at - steady_clock::now());
      timeout = std::clamp(left + milliseconds(1), milliseconds(0), timeout);
    }
    // While a ship is not due, more output must not wake us again and again.
    const auto until_ship = std::chrono::ceil<milliseconds>(next_ship - steady_clock::now());
    const bool pause = until_ship > milliseconds(0);
    ::poll(waits, pause ? 3 : 4, static_cast<int>((pause ? std::min(until_ship, timeout) : timeout).count()));
    drain(wake_.get());
    drain(settings_.mpi_watch.get());
    if (!pause) drain(watch);
  }
  supervisor_ = 0;
  note_ends(*launched, outcome);
  if (group.was_oom_killed()) {
    add_line(ranks_.front().log, fmt::format("the kernel ended a process of this run: it went over its limit ({})",
                                             limits_text(limits)));
  }
  keeper_->stop();
  outcome.exited = SystemClock().now();
  const bool out_of_memory = group.was_oom_killed() || out_of_memory_kills() > kills_before;
  if (mpi_) conclude_mpi(outcome);
  for (auto& rank : ranks_) {
    if (!rank.end && mpi_) continue;  // mpirun ended it, or never started it
    // What was killed together with its supervisor says nothing any more.
    if (!rank.end) {
      rank.end = ProcessEnd{0, std::nullopt, SIGKILL, 0, outcome.exited};
      rank.stopped = abandoned_ || cancel_grace_ >= 0 || stop_grace_ >= 0;
    }
    rank.out_of_memory = rank.end->signal == SIGKILL && !rank.stopped && out_of_memory;
  }
}

bool AttemptRun::ship_all() {
  milliseconds pause{10};
  while (!abandoned_) {
    const auto shipped = streams_->ship(server_);
    if (shipped && shipped->bytes == 0) return true;
    if (shipped) continue;
    if (is_fenced(shipped.error())) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds(1000));
  }
  return false;
}

Json AttemptRun::rank_reports() const {
  Json all = Json::array();
  for (const auto& rank : ranks_) {
    all.push_back({{"rank", rank.process.rank},
                   {"local_rank", rank.process.local_rank},
                   {"exit_code", rank.end ? or_null(rank.end->exit_code) : Json()},
                   {"signal", rank.end ? or_null(rank.end->signal) : Json()},
                   {"ended_at_us", rank.end ? rank.end->at : 0},
                   {"stopped", rank.stopped || !rank.end},
                   {"out_of_memory", rank.out_of_memory}});
  }
  return all;
}

// For the attempt that goes on elsewhere.
void AttemptRun::save_outputs() {
  KnownOutputs none;
  auto saved = collect_outputs(server_, folder_ / "code", folder_ / "code" / "outputs", "outputs/", keeper_ ? keeper_->known() : none);
  if (saved && !saved->empty()) saved = call("outputs", {{"node_rank", node_rank_}, {"outputs", std::move(*saved)}});
  if (!saved) log_warning("run {}: the last outputs are lost: {}", run_id_, saved.error().message);
}

void AttemptRun::report(Outcome& outcome) {
  if (!ship_all()) return;
  if (evicted_) return save_outputs();
  const fs::path outputs = folder_ / "code" / "outputs";
  std::error_code ignored;
  if (fs::exists(outputs, ignored) && !fs::is_empty(outputs, ignored)) {
    if (const auto told = call("exited", {{"exited_at_us", outcome.exited}, {"node_rank", node_rank_}});
        !told && is_fenced(told.error())) {
      return;
    }
    KnownOutputs none;
    auto collected = collect_outputs(server_, folder_ / "code", outputs, "outputs/", keeper_ ? keeper_->known() : none);
    if (collected) {
      outcome.outputs = std::move(*collected);
    } else if (!abandoned_ && outcome.outcome == "exited") {
      outcome.outcome = "outputs_failed";
      outcome.message = "the outputs could not be kept: " + collected.error().message;
    }
  }
  Json body = {{"outcome", outcome.outcome}, {"message", outcome.message},        {"node_rank", node_rank_},
               {"ranks", rank_reports()},    {"exited_at_us", outcome.exited}, {"outputs", outcome.outputs}};
  while (!abandoned_) {
    body["streams"] = streams_->lengths();
    const auto told = call("finished", body);
    if (told || told.error().code != ErrorCode::kDataMismatch) {
      if (!told) log_warning("run {}: {}", run_id_, told.error().message);
      return;
    }
    // The server lacks something that was shipped, or the file grew: ship again and ask again.
    if (!ship_all()) return;
  }
}

}  // namespace roost
