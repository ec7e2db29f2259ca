#include "runner/runner.h"

#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

#include <fmt/format.h>

#include "base/file_limit.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "confine/private_folder.h"
#include "domain/compute.h"
#include "net/router.h"
#include "runner/attempt_run.h"
#include "runner/leftovers.h"
#include "runner/mpi_helper.h"
#include "runner/run_usage.h"
#include "runner/sdk.h"
#include "runner/shell_session.h"
#include "runner/usage.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kAloneBeforeLeaving = std::chrono::seconds(60);
constexpr auto kBeforeChores = std::chrono::seconds(15);
constexpr auto kSendLimit = std::chrono::seconds(60);  // after the grace, to send what is left
constexpr int kSlurmGrace = 2;                         // seconds; Slurm kills everything after KillWait
constexpr double kLongestHeartbeat = 3600;             // seconds, whatever the server says
constexpr std::int64_t kLongestGrace = 7 * 24 * 3600;
std::atomic<bool> terminated = false;
std::atomic<int> grace_seconds = 10;  // for processes that are told to end, as the server says

int grace_of(const Json& order) {
  return static_cast<int>(std::clamp<std::int64_t>(integer_at(order, "grace_seconds", 10), 0, kLongestGrace));
}

class Runner {
 public:
  Runner(NodeSettings settings, const Clock& clock, std::string token)
      : settings_(std::move(settings)), clock_(clock), token_(std::move(token)) {}

  void run() {
    std::thread orders([this] { take_orders(); });
    std::thread beats([this] { send_heartbeats(); });
    while (auto attempt = next_attempt()) {
      attempt->run();
      const std::lock_guard lock(mutex_);
      current_.reset();
      last_busy_ = steady_clock::now();
    }
    stop_ = true;
    beat_due_.notify_one();
    {
      const std::lock_guard lock(mutex_);
      if (order_client_) order_client_->interrupt();
    }
    orders.join();
    beats.join();
    sessions_.clear();  // waits for them; what they lead to is over
  }

 private:
  // Waits for the next order; null when it is time to leave.
  std::shared_ptr<AttemptRun> next_attempt() {
    std::unique_lock lock(mutex_);
    while (waiting_.empty()) {
      const bool alone = steady_clock::now() - std::max(last_heard_, last_busy_) > kAloneBeforeLeaving;
      if (leaving_ || terminated || alone) return nullptr;
      order_came_.wait_for(lock, milliseconds(500));
    }
    if (terminated) return nullptr;
    Json order = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = std::make_shared<AttemptRun>(settings_, clock_, std::move(order));
    const auto ended = ended_early_.find({current_->run_id(), current_->attempt()});
    if (ended != ended_early_.end()) ended->second == "cancel" ? current_->orders().cancel(0) : current_->orders().stop(0);
    return current_;
  }

  void take_orders() {
    Backoff backoff({milliseconds(10), milliseconds(500)}, stop_);
    while (!stop_) {
      ServerLink link(settings_.server_file, settings_.data_id, token_, stop_);
      if (ApiClient* api = link.client()) {
        {
          const std::lock_guard lock(mutex_);
          if (stop_) return;
          order_client_ = api;
        }
        const Status ended = api->stream_lines(
            fmt::format("/nodes/{}/orders?pid={}", percent_encode(settings_.node), ::getpid()),
            [&](std::string_view line) {
              backoff.reset();
              take_order(line);
              return !stop_;
            });
        {
          const std::lock_guard lock(mutex_);
          order_client_ = nullptr;
        }
        if (!ended && is_given_up(ended.error())) given_up();
      }
      if (stop_) return;
      backoff.pause();
    }
  }

  bool is_current(const std::pair<std::string, std::int64_t>& attempt) const {
    return current_ && current_->run_id() == attempt.first && current_->attempt() == attempt.second;
  }

  void take_order(std::string_view line) {
    auto order = parse_json(line, "an order");
    if (note_order(order)) order_came_.notify_one();
  }

  // True if whoever waits for the next order has something to do.
  bool note_order(Result<Json>& order) {
    const std::lock_guard lock(mutex_);
    last_heard_ = steady_clock::now();
    if (!order || !order->is_object()) return false;
    const std::string type = text_at(*order, "type");
    const std::pair key(text_at(*order, "run"), integer_at(*order, "attempt"));
    if (type == "hello") {
      const double seconds = number_at(*order, "heartbeat_seconds", 2.0);
      heartbeat_ = milliseconds(static_cast<int>(std::clamp(seconds, 0.05, kLongestHeartbeat) * 1000));
      grace_seconds = grace_of(*order);
    } else if (type == "start") {
      Json work = object_at(*order, "order");
      const std::string run = text_at(work, "run");
      // The attempt's folder has its name.
      if (!is_safe_relative_path(run) || run.find('/') != std::string::npos) {
        log_warning("an order to start names no run ({}); it is passed over", printable(run));
        return false;
      }
      if (!seen_.insert({run, integer_at(work, "attempt")}).second) return false;
      waiting_.push_back(std::move(work));
      return true;
    } else if (type == "cancel" || type == "stop") {
      // An attempt that has not begun is ended as it begins.
      ended_early_.emplace(key, type);
      const int grace = grace_of(*order);
      if (is_current(key)) type == "cancel" ? current_->orders().cancel(grace) : current_->orders().stop(grace);
    } else if (type == "stacks") {
      if (is_current(key)) {
        stack_requests_.push_back(text_at(*order, "id"));
        beat_due_.notify_one();
      }
    } else if (type == "session") {
      start_session(is_current(key) ? current_ : nullptr, *order);
    } else if (type == "go") {
      if (is_current(key)) current_->orders().go(array_at(*order, "nodes"));
    } else if (type == "exec" || type == "command_ended") {
      if (!is_current(key)) return false;
      AttemptOrders& told = current_->orders();
      type == "exec" ? told.exec(text_at(*order, "command"))
                     : told.command_ended(text_at(*order, "node"), static_cast<int>(integer_at(*order, "exit_code", 255)));
    } else if (type == "leave") {
      leaving_ = true;
      return true;
    }
    return false;
  }

  // With mutex_ held. One of a run that is not here, or over, is told so.
  void start_session(std::shared_ptr<AttemptRun> attempt, Json order) {
    if (!seen_sessions_.insert(text_at(order, "id")).second) return;
    std::erase_if(sessions_, [](const Session& session) { return session.is_over->load(); });
    auto is_over = std::make_shared<std::atomic<bool>>(false);
    sessions_.push_back({is_over, std::jthread([this, attempt = std::move(attempt), order = std::move(order), is_over] {
                           static const SideDoor kClosed;
                           ShellSession(settings_, token_, order, stop_).run(attempt ? attempt->side_door() : kClosed);
                           *is_over = true;
                         })});
  }

  void send_heartbeats() {
    ServerLink link(settings_.server_file, settings_.data_id, token_, stop_);
    const Nvml nvml;
    Usage usage(settings_.folder, nvml);
    RunUsage run_usage(nvml);
    for (;;) {
      Json body = {{"run", nullptr}, {"attempt", 0}, {"usage", nullptr}, {"parts", Json::array()}};
      std::shared_ptr<AttemptRun> attempt;
      {
        std::unique_lock lock(mutex_);
        beat_due_.wait_for(lock, beats_ == 0 ? milliseconds(200) : heartbeat_,
                          [this] { return stop_ || !stack_requests_.empty(); });
        if (stop_) return;
        attempt = current_;
        if (!stack_requests_.empty() && attempt) {
          const std::string id = std::exchange(stack_requests_, {}).back();
          lock.unlock();
          send_stacks(link, *attempt, id);
          continue;
        }
        stack_requests_.clear();
        leave_in_time();
        for (const auto& order : waiting_) {
          body["parts"].push_back({{"run", text_at(order, "run")},
                                   {"attempt", integer_at(order, "attempt")},
                                   {"node_rank", static_cast<int>(integer_at(order, "node_rank"))}});
        }
        if (attempt) {
          body["parts"].push_back(
              {{"run", attempt->run_id()}, {"attempt", attempt->attempt()}, {"node_rank", attempt->node_rank()}});
          body.update({{"run", attempt->run_id()}, {"attempt", attempt->attempt()}});
        }
      }
      ++beats_;
      if (attempt) body["idle_seconds"] = attempt->idle_seconds();
      if (!body["run"].is_null()) {
        body["usage"] = usage.sample();
        body["usage"].update(attempt->sample(run_usage));
      }
      const auto heard = link.once([&](ApiClient& api) {
        return api.post("/nodes/" + percent_encode(settings_.node) + "/heartbeat", body);
      });
      if (!heard && is_given_up(heard.error())) given_up();
      const std::lock_guard lock(mutex_);
      if (heard) last_heard_ = steady_clock::now();
      if (heard && flag_at(*heard, "fenced") && current_ && current_->run_id() == body["run"]) {
        current_->orders().abandon();
      }
    }
  }

  // A machine that goes down does not wait for ever.
  void leave_in_time() {
    if (!terminated) return;
    if (!terminated_since_) terminated_since_ = steady_clock::now();
    const bool late = steady_clock::now() - *terminated_since_ > std::chrono::seconds(grace_seconds) + kSendLimit;
    if (late && current_) current_->orders().stop_sending();
  }

  void send_stacks(ServerLink& link, const AttemptRun& attempt, const std::string& id) {
    const Json body = {{"id", id}, {"run", attempt.run_id()}, {"processes", attempt.take_stacks()}};
    const auto sent = link.once([&](ApiClient& api) {
      return api.post("/nodes/" + percent_encode(settings_.node) + "/stacks", body);
    });
    if (!sent) log_warning("the stacks of run {} were not taken: {}", attempt.run_id(), sent.error().message);
  }

  // The server does not know this node any more: whatever it runs has been given up.
  void given_up() {
    const std::lock_guard lock(mutex_);
    log_warning("the server has given this node up; leaving");
    leaving_ = true;
    waiting_.clear();
    if (current_) current_->orders().abandon();
    order_came_.notify_one();
  }

  const NodeSettings settings_;
  const Clock& clock_;
  const std::string token_;
  std::atomic<bool> stop_ = false;

  std::mutex mutex_;
  std::condition_variable order_came_;  // or it is time to leave
  std::condition_variable beat_due_;    // before its time
  std::deque<Json> waiting_;
  std::set<std::pair<std::string, std::int64_t>> seen_;
  std::map<std::pair<std::string, std::int64_t>, std::string> ended_early_;
  std::shared_ptr<AttemptRun> current_;
  std::vector<std::string> stack_requests_;
  struct Session {
    std::shared_ptr<std::atomic<bool>> is_over;
    std::jthread thread;
  };
  std::vector<Session> sessions_;
  std::set<std::string> seen_sessions_;  // an order stream that begins anew tells them again
  ApiClient* order_client_ = nullptr;
  bool leaving_ = false;
  std::optional<steady_clock::time_point> terminated_since_;
  milliseconds heartbeat_{2000};
  int beats_ = 0;
  steady_clock::time_point last_heard_ = steady_clock::now();
  steady_clock::time_point last_busy_ = steady_clock::now();
};

// What can wait until the first run is under way.
void do_later_chores(const fs::path& sdk, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, kBeforeChores, [] { return false; });
  if (stop.stop_requested()) return;
  std::atomic<bool> stopped = false;
  const std::stop_callback on_stop(stop, [&] { stopped = true; });
  compile_sdk(sdk, stopped);
}

}  // namespace

Status run_runner(const RunnerOptions& options) {
  const char* given = std::getenv("ROOST_NODE_TOKEN");
  const std::string token = given ? given : options.token;
  if (token.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "ROOST_NODE_TOKEN is not set; runners are started by the server, not by hand");
  }
  raise_file_limit();
  ROOST_TRY(const Fd lock, hold_node_folder(options.folder));
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGTERM, [](int) { terminated = true; });
  NodeSettings settings;
  // What a run in an image is shown belongs to this process, and must be readable for the run's user whatever the
  // umask is (that of a Slurm job may be 077). Others are kept out by the folder above it all.
  settings.mask = ::umask(022);
  settings.node = options.node;
  settings.server_file = options.server_file;
  settings.data_id = options.data_id;
  settings.folder = options.folder;
  settings.cache = fs::path(options.folder).parent_path() / "cache";
  settings.gpus = options.gpus;
  settings.address = options.address;
  settings.joined = options.joined;
  settings.is_evicted = [] { return terminated.load(); };
  settings.evict_grace = [joined = options.joined] { return joined ? kSlurmGrace : grace_seconds.load(); };
  settings.output_watch.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  settings.mpi_watch.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  settings.machine_has_gpus = fs::exists("/dev/nvidiactl");
  ROOST_CHECK(make_private_folder(settings.cache));
  settings.spare = std::make_unique<SpareFolder>(settings.folder / "spare");
  ROOST_TRY(settings.sdk, unpack_sdk(settings.cache));
  ROOST_TRY(settings.mpi_helper, unpack_mpi_helper(settings.cache));
  if (options.joined) {
    // Nobody else looks after a node of a cluster.
    const fs::path kept = settings.cache.parent_path().parent_path();
    remove_leftovers(kept, options.folder, "/proc/self/exe");
  }
  std::jthread chores([cache = settings.cache, sdk = settings.sdk, joined = options.joined](const std::stop_token& stop) {
    if (joined) shrink_cache(cache, cache_bound(cache));
    do_later_chores(sdk, stop);
  });
  const SystemClock clock;
  Runner(std::move(settings), clock, token).run();
  chores = {};
  log_info("node {}: left", options.node);
  // Runs that could not be reported are still there.
  std::error_code none;
  const fs::path runs = fs::path(options.folder) / "runs";
  if (fs::exists(runs, none) && !fs::is_empty(runs, none)) return {};
  return remove_tree(options.folder);
}

}  // namespace roost
