#include "runner/attempt_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/tree_beneath.h"
#include "domain/compute.h"
#include "net/router.h"
#include "runner/cgroup.h"
#include "runner/collect_outputs.h"
#include "runner/command_line.h"
#include "runner/environment_copy.h"
#include "runner/image_root.h"
#include "runner/installed_packages.h"
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
// A run that ends within this tells of its start with its end. What has output says so at once.
constexpr milliseconds kBeforeTold{25};
constexpr milliseconds kBetweenShips{15};  // a script that prints much is shipped in pieces
constexpr milliseconds kAfterFailure{250};
constexpr milliseconds kBetweenShows{1000};  // how often the server's address is looked up for the run
constexpr milliseconds kCallPatience{120'000};  // with a server that answers, but not as it should
constexpr milliseconds kLongestPause{5000};  // between two tries to hand in the report
constexpr int kMostTries = 5;
// For the processes that still run when one fails: what they say of it tells who is to blame.
constexpr milliseconds kLastWords{1000};
constexpr milliseconds kForSpace{60'000};  // for a server whose disk is full, before an output is given up
constexpr milliseconds kForSpaceForLogs{600'000};
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

// A line of Roost's own in the script's log; one that is lost is no reason to fail. The script may have put something
// else in its place.
void add_line(const fs::path& log, const std::string& text) {
  const Fd fd(::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644));
  struct stat info {};
  if (fd && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode)) (void)write_all(fd.get(), "roost: " + text + "\n", log.string());
}

void note_mlflow(const Json& outputs, Notices& notices) {
  const bool is_there = std::any_of(outputs.begin(), outputs.end(), [](const Json& output) {
    const std::string path = text_at(output, "path");
    return path == kMlflowDatabase || path.starts_with(std::string(kMlflowFolder) + "/");
  });
  if (!is_there) return;
  notices.add(kMlflowFolder, "has what MLflow logged and is kept with the files of the run: a Roost server does not speak "
                             "MLflow's protocol yet, so that these metrics are not among the run's own");
}

}  // namespace

AttemptRun::AttemptRun(const NodeSettings& settings, Json order)
    : settings_(settings),
      order_(std::move(order)),
      run_id_(text_at(order_, "run")),
      attempt_(integer_at(order_, "attempt")),
      gang_(parse_gang(object_at(order_, "gang")).value_or(Gang{})),
      node_rank_(static_cast<int>(integer_at(order_, "node_rank"))),
      folder_(settings.folder / "runs" / fmt::format("{}-{}", run_id_, attempt_)),
      shared_(settings.cache.parent_path() / "shared" / fmt::format("{}-{}", run_id_, attempt_)),
      watch_(number_at(order_, "hang_seconds"), steady_clock::now()),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      server_(settings.server_file, settings.data_id, text_at(order_, "token"), abandoned_, settings.spare_client.get()),
      streams_(std::make_unique<StreamFiles>(
          fmt::format("/attempts/{}/{}/streams", percent_encode(run_id_), attempt_), folder_)),
      space_for_outputs_(kForSpace, [this] { return abandoned_ || cancel_grace_ >= 0; }),
      space_for_logs_(kForSpaceForLogs, [this] { return abandoned_ || cancel_grace_ >= 0; }) {
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
  const int supervisor = supervisor_;
  const auto processes = supervisor > 0 ? processes_below(supervisor) : std::vector<TreeProcess>();
  return watch_.idle_seconds(steady_clock::now(), bytes_shipped_, processes, gang_.processes(),
                             [&](const std::vector<int>& pids) {
                               return main_threads(supervisor, pids, folder_ / "stacks");
                             });
}

void AttemptRun::abandon() {
  abandoned_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void AttemptRun::stop_sending() {
  keep_ = true;
  abandon();
}

void AttemptRun::evict() {
  if (evicted_.exchange(true)) return;
  log_info("run {}: this node is taken away", run_id_);
  // For a server that is not there to be told.
  (void)write_file_atomic(settings_.folder / kEvictedMark, "");
  cancel(settings_.evict_grace ? settings_.evict_grace() : 0);
}

Result<Json> AttemptRun::call(const std::string& what, const Json& body) {
  const std::string path = fmt::format("/attempts/{}/{}/{}", percent_encode(run_id_), attempt_, what);
  return server_.persist([&](ApiClient& api) { return api.post(path, body); }, {}, kCallPatience);
}

void AttemptRun::run() {
  log_info("run {} attempt {}: staging", run_id_, attempt_);
  Outcome outcome;
  if (const Status staged = stage(outcome.notices); !staged) {
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
  server_.leave();
  if (keep_) {
    log_warning("run {}: not everything could be sent; what it left stays in {}", run_id_, folder_.string());
  } else if (may_processes_be_left_ || !settings_.spare->take(folder_, text_at(order_, "user"))) {
    remove(folder_);
  }
}

void AttemptRun::remove(const fs::path& folder) {
  if (const Status removed = remove_tree(folder); !removed) {
    log_warning("run {}: {}", run_id_, removed.error().message);
  }
}

Status AttemptRun::stage(Notices& notices) {
  ROOST_CHECK(remove_tree(folder_));
  ROOST_CHECK(make_folders(folder_.parent_path()));
  settings_.spare->give(folder_, text_at(order_, "user"));
  const fs::path code = folder_ / "code";
  ROOST_CHECK(make_folders(folder_ / "spool"));
  ROOST_CHECK(make_folders(folder_ / "stacks"));
  ROOST_CHECK(make_folders(folder_ / "packages"));
  if (mpi_) {
    ROOST_CHECK(make_folders(mpi_->folder() / "tmp"));
    streams_->add_file(launcher_log(node_rank_), mpi_->launcher_log());
  }
  ROOST_CHECK(make_folders(code));
  const Fd root(::open(code.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root) return fail_errno(errno, "open " + code.string());
  if (const std::string snapshot = text_at(order_, "snapshot"); !snapshot.empty()) {
    ROOST_CHECK(stage_snapshot(server_, snapshot, settings_.cache, root.get()));
  }
  ROOST_CHECK(stage_data(root.get()));
  ROOST_CHECK(show_server());
  if (settings_.joined) {
    ROOST_TRY(environment_, bring_environment(server_, settings_.cache, order_));
  }
  for (const char* name : {"outputs", "logs"}) {
    // A link of the snapshot stays, to be used by the script; what is behind it is not looked at.
    if (make_folder_beneath(root.get(), name) || errno == ELOOP) continue;
    return fail_errno(errno, fmt::format("make the folder {} beside the script", name));
  }
  ROOST_CHECK(restore_outputs(server_, array_at(order_, "outputs"), settings_.cache, root.get(), notices));
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
    ROOST_TRY(ports_, PortHold::take(kMasterPort, ports_needed(gang_)));
    own.ports = ports_->ports();
    own.shared = shared.string();
  }
  nodes_ = {own};
  if (gang_.nodes > 1) {
    Json body = {{"node_rank", node_rank_}, {"facts", node_facts_json(own)}};
    if (const auto told = call("ready", body); !told) {
      if (is_given_up(told.error())) abandon();
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
    if (nodes_.size() != static_cast<std::size_t>(gang_.nodes) || node_rank_ < 0 || node_rank_ >= gang_.nodes) {
      return fail(ErrorCode::kInternal, fmt::format("the server named {} nodes for a run of {}, of which this is number {}",
                                                    nodes_.size(), gang_.nodes, node_rank_));
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

Status AttemptRun::stage_data(int code) {
  for (const auto& input : array_at(order_, "inputs")) {
    const fs::path place = input_path(input);
    const std::string name = text_at(input, "name");
    std::error_code error;
    // Not into what Roost keeps for itself, nor beside the script's folder into what Roost makes for this run.
    const fs::path kept = settings_.cache.parent_path().parent_path();
    const fs::path real = fs::weakly_canonical(place, error);
    const fs::path own = fs::weakly_canonical(folder_, error);
    const bool is_own = is_below(real, own / "code") || is_below(real, own / "data");
    if (is_below(real, fs::weakly_canonical(kept, error)) && !is_own) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the input {} should go to {}, which is in Roost's own folder; choose another path", name,
                              place.string()));
    }
    if (fs::exists(place, error) && !fs::is_empty(place, error)) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the input {} should go to {}, which exists already on the node; choose another path", name,
                              place.string()));
    }
    ROOST_TRY(const Fd folder, input_folder(code, name, place));
    ROOST_CHECK(stage_snapshot(server_, text_at(input, "content"), settings_.cache, folder.get()));
  }
  return {};
}

// A place that was given as a whole path is whatever it is on this machine. One beside the script is not reached
// through links: who wrote the snapshot, or another input, would choose where it leads.
Result<Fd> AttemptRun::input_folder(int code, const std::string& name, const fs::path& place) {
  const fs::path normal = place.lexically_normal();
  const fs::path plain = normal.has_filename() ? normal : normal.parent_path();  // without a slash at its end
  const std::string beside = plain.lexically_relative((folder_ / "code").lexically_normal()).string();
  if (is_safe_relative_path(beside)) {
    if (Fd made = make_folder_beneath(code, beside)) return made;
    return fail_errno(errno, fmt::format("make the folder {} for the input {} (no link on the way is followed)",
                                         printable(beside), name));
  }
  if (!place.string().starts_with(folder_.string() + "/")) outside_.push_back(place);
  ROOST_CHECK(make_folders(place));
  Fd made(::open(place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!made) return fail_errno(errno, "open " + place.string());
  return made;
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

// Whatever the server says to it, output is shipped and orders are obeyed; its end tells of its start too.
void AttemptRun::tell_start() {
  if (start_told_ || steady_clock::now() < next_tell_) return;
  const std::string path = fmt::format("/attempts/{}/{}/started", percent_encode(run_id_), attempt_);
  const auto told = server_.once([&](ApiClient& api) { return api.post(path, {{"node_rank", node_rank_}}); });
  start_told_ = told.has_value();
  next_tell_ = steady_clock::now() + kAfterFailure;
  if (!told && is_given_up(told.error())) abandon();
}

// The other nodes of the run hear of a failure through the server; however long that takes, the
// processes here end.
void AttemptRun::tell_failure() {
  if (failure_.is_null() || gang_.nodes == 1 || failure_.contains("told")) return;
  const std::string path = fmt::format("/attempts/{}/{}/failed", percent_encode(run_id_), attempt_);
  const auto told = server_.once([&](ApiClient& api) { return api.post(path, failure_); });
  if (told) failure_["told"] = true;
  if (!told && is_given_up(told.error())) abandon();
}

void AttemptRun::follow(Outcome& outcome) {
  auto spec = launch_spec();
  if (!spec) return outcome.fail("launch_failed", spec.error());
  const Limits limits = limits_from(member(order_, "limits"));
  const RunCgroup group = RunCgroup::make(limits, fmt::format("{}-{}-{}", run_id_, attempt_, node_rank_));
  spec->join_groups = group.join_fds();
  for (const auto& problem : group.problems()) add_line(ranks_.front().log, problem);
  // A watch goes when its file does.
  const int watch = settings_.output_watch.get();
  for (const auto& rank : ranks_) ::inotify_add_watch(watch, rank.log.c_str(), IN_MODIFY);
  drain(watch);  // of what was done to the file before it was this run's
  if (mpi_) ::inotify_add_watch(settings_.mpi_watch.get(), mpi_->folder().c_str(), IN_MOVED_TO);
  if (mpi_ && !await_mpi_command(*spec)) {
    outcome.exited = SystemClock().now();
    return;
  }
  if (settings_.is_evicted && settings_.is_evicted()) evict();
  if (evicted_) {
    ranks_.clear();  // none began
    outcome.exited = SystemClock().now();
    return;
  }
  const std::int64_t kills_before = out_of_memory_kills();
  launched_.emplace();
  // Not the coarse clock: since Linux 6.13 a file that was laid out just now may have a finer time, after that one.
  ::clock_gettime(CLOCK_REALTIME, &*launched_);
  auto launched = Launched::start(*spec);
  if (!launched) return outcome.fail("launch_failed", launched.error());
  supervisor_ = launched->supervisor();
  may_processes_be_left_ = !launched->is_isolated();
  log_info("run {} attempt {}: started", run_id_, attempt_);

  const auto started = steady_clock::now();
  std::optional<steady_clock::time_point> stop_at;
  std::optional<steady_clock::time_point> kill_at;
  auto next_look = started + kBeforeTold;  // for spools and ./logs, whether there was output or not
  auto next_ship = started;                // at the earliest
  bool has_output = false;
  auto next_show = started + kBetweenShows;
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
    if (steady_clock::now() >= next_show) {
      if (const Status shown = show_server(); !shown) log_warning("run {}: {}", run_id_, shown.error().message);
      next_show = steady_clock::now() + kBetweenShows;
    }
    if (mpi_) relay_for_mpi();
    // A run that is over at once needs no thread that keeps its outputs meanwhile.
    if (!keeper_ && steady_clock::now() - started > kLook) {
      keeper_.emplace(settings_.server_file, settings_.data_id, text_at(order_, "token"),
                      fmt::format("/attempts/{}/{}/outputs", percent_encode(run_id_), attempt_), outputs(),
                      node_rank_, gang_.nodes > 1);
    }
    const bool is_urgent = has_output || (!failure_.is_null() && gang_.nodes > 1 && !failure_.contains("told"));
    if (steady_clock::now() >= (is_urgent ? next_ship : next_look)) {
      has_output = false;
      tell_start();
      const auto shipped = streams_->ship(server_);
      const bool sent = shipped && !shipped->failed;
      next_ship = steady_clock::now() + (sent ? kBetweenShips : kAfterFailure);
      next_look = std::max(next_ship, steady_clock::now() + kLook);
      if (!shipped && is_given_up(shipped.error())) abandon();
      if (shipped) bytes_shipped_ += static_cast<std::int64_t>(shipped->bytes);
      if (sent && shipped->more) next_look = next_ship = steady_clock::now();
      tell_failure();
    }
    pollfd waits[] = {{launched->report_fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0},
                      {settings_.mpi_watch.get(), POLLIN, 0}, {watch, POLLIN, 0}};
    // While a ship is not due, more output must not wake us again and again.
    const auto until_ship = std::chrono::ceil<milliseconds>((is_urgent ? next_ship : next_look) - steady_clock::now());
    milliseconds timeout = std::clamp(until_ship, milliseconds(0), kLook);
    if (kill_at && *kill_at != steady_clock::time_point::max()) {
      const auto left = std::chrono::duration_cast<milliseconds>(*kill_at - steady_clock::now());
      timeout = std::clamp(left + milliseconds(1), milliseconds(0), timeout);
    }
    ::poll(waits, has_output ? 3 : 4, static_cast<int>(timeout.count()));
    has_output = has_output || (waits[3].revents & POLLIN) != 0;
    drain(wake_.get());
    drain(settings_.mpi_watch.get());
    drain(watch);
  }
  supervisor_ = 0;
  note_ends(*launched, outcome);
  if (group.was_oom_killed()) {
    add_line(ranks_.front().log, fmt::format("the kernel ended a process of this run: it went over its limit ({})",
                                             limits_text(limits)));
  }
  if (keeper_) keeper_->stop();
  outcome.exited = SystemClock().now();
  const bool killed = std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) {
    return !rank.end || rank.end->signal == SIGKILL;
  });
  const bool out_of_memory = killed && (group.was_oom_killed() || out_of_memory_kills() > kills_before);
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

bool AttemptRun::ship_all(bool wait_for_space) {
  Backoff backoff(abandoned_);
  bool told = false;
  is_server_full_ = false;
  while (!abandoned_) {
    const auto shipped = streams_->ship(server_);
    if (shipped && shipped->bytes == 0) return true;
    if (shipped && !shipped->failed) continue;
    if (!shipped && is_given_up(shipped.error())) {
      abandon();
      break;
    }
    is_server_full_ = shipped ? shipped->full : shipped.error().code == ErrorCode::kResourceExhausted;
    if (is_server_full_ && (!wait_for_space || space_for_logs_.gives_up())) return true;
    if (!shipped && !std::exchange(told, true)) log_warning("run {}: {}; trying again", run_id_, shipped.error().message);
    backoff.pause();
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
  SpaceWait no_wait(milliseconds(0), [] { return true; });
  const auto saved = collect_outputs(server_, outputs(), no_wait);
  if (!saved) return log_warning("run {}: the last outputs are lost: {}", run_id_, saved.error().message);
  const auto told = call("outputs", {{"node_rank", node_rank_}, {"ended", true}, {"folders", ended_folders(saved->files)}});
  if (!told) log_warning("run {}: the last outputs are lost: {}", run_id_, told.error().message);
}

OutputTree AttemptRun::outputs() const { return OutputTree(folder_ / "code", launched_); }

bool AttemptRun::has_outputs() const {
  Notices of_what_is_left_out;
  return !outputs().find(of_what_is_left_out).empty() || !of_what_is_left_out.empty();
}

bool AttemptRun::collect(Outcome& outcome) {
  auto collected = collect_outputs(server_, outputs(), space_for_outputs_);
  if (!collected && is_given_up(collected.error())) abandon();
  std::string failure = collected ? collected->failure() : "the outputs could not be kept: " + collected.error().message;
  if (collected) {
    outcome.outputs = std::move(collected->files);
    outcome.notices.add_all(collected->notices);
    note_mlflow(outcome.outputs, outcome.notices);
  }
  if (!failure.empty() && !abandoned_ && outcome.outcome == "exited") {
    outcome.outcome = "outputs_failed";
    outcome.message = std::move(failure);
  }
  return !abandoned_;
}

// A node that is told to end may well find that its processes were told so too, a moment before.
void AttemptRun::note_eviction(Outcome& outcome) {
  if (!settings_.is_evicted) return;
  const auto was_told = [](const Rank& rank) {
    return rank.end && !rank.stopped && (rank.end->signal == SIGTERM || rank.end->exit_code == 128 + SIGTERM);
  };
  const bool told = cancel_grace_ < 0 && std::any_of(ranks_.begin(), ranks_.end(), was_told);
  const auto until = steady_clock::now() + kAfterFailure;
  while (told && !settings_.is_evicted() && steady_clock::now() < until) std::this_thread::sleep_for(milliseconds(10));
  if (settings_.is_evicted()) evict();
  if (!evicted_) return;
  for (auto& rank : ranks_) rank.stopped = rank.stopped || was_told(rank);
  const bool cut_short = ranks_.empty() || std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.stopped; });
  if (outcome.outcome != "exited" || !cut_short) return;
  outcome.outcome = "evicted";
  outcome.message = fmt::format("node {} was told to end", settings_.node);
}

void AttemptRun::report(Outcome& outcome) {
  note_eviction(outcome);
  streams_->end();
  // On a full disk the outputs go first: what is given up of them makes room for the rest.
  if (!ship_all(false)) return;
  if (evicted_ && settings_.joined) return save_outputs();
  const bool has_some = has_outputs();
  if (outcome.outcome != "evicted" && has_some) {
    // For those who look on; the report tells it as well.
    const std::string path = fmt::format("/attempts/{}/{}/exited", percent_encode(run_id_), attempt_);
    for (int tries = 0; tries < kMostTries && !abandoned_; ++tries) {
      const auto told = server_.once([&](ApiClient& api) {
        return api.post(path, {{"exited_at_us", outcome.exited}, {"node_rank", node_rank_}});
      });
      if (told) break;
      if (is_given_up(told.error())) return abandon();
      std::this_thread::sleep_for(milliseconds(10 << tries));
    }
  }
  if (has_some && !collect(outcome)) return;
  if (is_server_full_ && !ship_all(true)) return;
  if (is_server_full_) outcome.notices.add("logs", "could not be stored to their end: the server has no room for them");
  if (const std::string text = installed_text(installed_packages(folder_ / "packages")); !text.empty()) {
    outcome.notices.add("pip", text);
  }
  send_report(outcome);
}

void AttemptRun::send_report(Outcome& outcome) {
  const std::string path = fmt::format("/attempts/{}/{}/finished", percent_encode(run_id_), attempt_);
  Backoff backoff(abandoned_, kLongestPause);
  int refusals = 0;
  bool told = false;
  while (!abandoned_) {
    Json body = {{"outcome", outcome.outcome}, {"message", outcome.message}, {"node_rank", node_rank_}};
    Notices notices = outcome.notices;
    notices.add_all(streams_->notices());
    if (refusals < kMostTries) {
      body.update({{"ranks", rank_reports()},
                   {"exited_at_us", outcome.exited},
                   {"outputs", outcome.outputs},
                   {"gone", keeper_ ? keeper_->removed(outcome.outputs) : std::vector<std::string>()},
                   {"streams", streams_->lengths()},
                   {"notices", notices.json()}});
    }
    const auto heard = server_.once([&](ApiClient& api) { return api.post(path, body); });
    if (heard) return;
    const Error& error = heard.error();
    if (is_given_up(error)) return;
    if (!std::exchange(told, true)) log_warning("run {}: {}; its report is sent until it is taken", run_id_, error.message);
    if (error.code == ErrorCode::kDataMismatch) {
      // The server lacks something that was shipped: ask how far it is.
      streams_->ask_lengths();
      if (!ship_all(true)) return;
    } else if (error.code == ErrorCode::kFailedPrecondition) {
      // It lacks an output.
      if (!collect(outcome)) return;
    } else if (is_refusal(error) && ++refusals == kMostTries) {
      // It will never take this one: the run ends with the reason rather than not at all, and what it made is kept.
      save_outputs();
      outcome.outcome = "report_refused";
      outcome.message = "the server refused the report of the run's end: " + error.message;
    }
    backoff.pause();
  }
}

}  // namespace roost
