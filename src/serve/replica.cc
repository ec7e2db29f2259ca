#include "serve/replica.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr milliseconds kLook{50};           // how soon a change of state is noticed
constexpr milliseconds kLastWord{3000};     // for the server to hear why it failed
constexpr int kThreadsAtOnce = 8;           // workers from the start
constexpr std::uint64_t kBodyShares = 12;   // bodies of the longest kind in memory at once

// Clients of the inference protocol look for "error", those of score.py for "message".
std::string error_body(const Error& error) {
  return to_text({{"error", error.message}, {"message", error.message}});
}

std::uint64_t resident_bytes() {
  const std::string text = read_file("/proc/self/statm").value_or("");
  unsigned long long pages = 0;
  if (std::sscanf(text.c_str(), "%*s %llu", &pages) != 1) return 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool pause(const std::stop_token& stop, const std::stop_token& other) {
  if (stop.stop_requested() || other.stop_requested()) return false;
  std::this_thread::sleep_for(kLook);
  return true;
}

}  // namespace

Replica::Replica(ReplicaServant servant, ReplicaOptions options)
    : servant_(std::move(servant.servant)),
      threads_(servant.threads),
      io_threads_(servant.io_threads),
      failure_(std::move(servant.failure)),
      options_(std::move(options)) {}

Replica::~Replica() = default;

Result<int> Replica::run(const std::stop_token& stop) {
  ROOST_TRY(server_, listen());
  server_->start();
  if (!options_.run.empty()) {
    ReplicaNews news;
    news.address = options_.shown_address.empty() ? options_.address : options_.shown_address;
    news.port = server_->port();
    news.key = options_.key;
    heartbeat_ = std::make_unique<ReplicaHeartbeat>(
        options_.run, std::move(news),
        ReplicaHeartbeat::Calls{options_.find_server, [this] { return state_ == State::kStarting ? ServantLoad() : servant_->load(); },
                         [this] { unwanted_.request_stop(); }});
  }
  Status started;
  if (!start_servant(stop, started)) {
    // Whatever it was doing to start cannot be broken off; the process ends with it.
    log_info("stopped while it was starting");
    if (heartbeat_) heartbeat_->tell_and_wait(ReplicaState::kStopping, "", milliseconds(500));
    std::fflush(nullptr);
    ::_exit(0);
  }
  if (!started) return give_up(started.error().message);
  state_ = State::kReady;
  if (heartbeat_) heartbeat_->tell(ReplicaState::kReady);
  if (options_.ready) options_.ready(server_->port());
  wait_until_over(stop);
  const std::string why = failure_ ? failure_() : "";
  if (!why.empty()) return give_up(why);
  drain();
  return 0;
}

Result<std::unique_ptr<HttpServer>> Replica::listen() {
  Router router;
  servant_->add_routes(router);
  Route route{"GET", "/metrics", "replica_metrics", {}, [this](Request&) { return metrics(); }};
  route.lane = 1;
  router.add(std::move(route));
  HttpServerOptions options;
  options.address = options_.address;
  options.port = options_.port;
  options.io_threads = io_threads_;
  // Most of them only ever wait, and only when there is much to do: they are made then.
  options.worker_threads = std::clamp(threads_, 1, kThreadsAtOnce);
  options.most_workers = threads_;
  options.lanes = {1};
  options.body_memory = std::max<std::uint64_t>(1ULL << 30, options_.max_body_bytes * kBodyShares);
  options.error_body = error_body;
  options.admit = [this](const Request& request, const Route&) { return admit(request); };
  options.before = [this](Request& request, const Route&) { return answer_itself(request); };
  // The front keeps connections, and lets go of them first.
  options.timeouts.idle = milliseconds(120'000);
  return HttpServer::listen(std::move(options), std::move(router));
}

Result<std::shared_ptr<void>> Replica::admit(const Request& request) const {
  if (!options_.key.empty() && !equal_secret(request.header("x-roost-replica-key"), options_.key)) {
    return fail(ErrorCode::kUnauthenticated,
                "this is a replica behind an endpoint; send requests to the endpoint's address");
  }
  if (state_ == State::kStarting && request.path != "/v2/health/live" && request.path != "/metrics") {
    return fail(ErrorCode::kUnavailable, options_.name + " is starting; try again in a moment");
  }
  return std::shared_ptr<void>();
}

// While it starts, what the servant knows is not to be asked for.
std::optional<Response> Replica::answer_itself(const Request& request) const {
  if (state_ != State::kStarting || request.path == "/metrics") return std::nullopt;
  Response response;
  if (request.path == "/v2/health/live") {
    response.body = "{}";
    return response;
  }
  response.status = 503;
  response.headers["Retry-After"] = "1";
  response.body = error_body({ErrorCode::kUnavailable, options_.name + " is starting; try again in a moment"});
  return response;
}

Response Replica::metrics() const {
  Response response;
  response.content_type = "text/plain; version=0.0.4";
  if (state_ != State::kStarting) response.body = servant_->metrics();
  if (!response.body.empty() && response.body.back() != '\n') response.body += '\n';
  response.body += fmt::format(
      "# HELP roost_replica_resident_bytes Memory of the replica's own process.\n"
      "# TYPE roost_replica_resident_bytes gauge\nroost_replica_resident_bytes {}\n"
      "# HELP roost_replica_ready Whether it answers requests.\n"
      "# TYPE roost_replica_ready gauge\nroost_replica_ready {}\n",
      resident_bytes(), state_ == State::kReady && servant_->is_ready() ? 1 : 0);
  return response;
}

bool Replica::start_servant(const std::stop_token& stop, Status& started) {
  std::promise<Status> promise;
  std::future<Status> future = promise.get_future();
  std::thread([servant = servant_, promise = std::move(promise)]() mutable {
    Status status;
    try {
      status = servant->start();
    } catch (const std::exception& error) {
      status = fail(ErrorCode::kInternal, error.what());
    }
    servant.reset();
    promise.set_value(std::move(status));
  }).detach();
  while (future.wait_for(kLook) != std::future_status::ready) {
    if (stop.stop_requested() || unwanted_.stop_requested()) return false;
  }
  started = future.get();
  return true;
}

void Replica::wait_until_over(const std::stop_token& stop) {
  while (pause(stop, unwanted_.get_token())) {
    if (failure_ && !failure_().empty()) return;
  }
}

int Replica::give_up(const std::string& why) {
  std::fprintf(stderr, "roost: %s cannot serve: %s\n", options_.name.c_str(), why.c_str());
  std::fflush(stderr);
  if (heartbeat_) heartbeat_->tell_and_wait(ReplicaState::kFailed, why, kLastWord);
  heartbeat_.reset();
  server_->stop();
  return kCannotServe;
}

void Replica::drain() {
  log_info("{} is stopping; what is under way is finished first", options_.name);
  state_ = State::kStopping;
  if (heartbeat_) heartbeat_->tell(ReplicaState::kStopping);
  const auto begun = steady_clock::now();
  auto busy = begun;
  const bool waits = heartbeat_ != nullptr;  // for the front to send elsewhere
  while (waits && steady_clock::now() - begun < options_.drain && steady_clock::now() - busy < options_.quiet) {
    std::this_thread::sleep_for(kLook);
    const ServantLoad load = servant_->load();
    if (load.in_flight + load.queued > 0) busy = steady_clock::now();
  }
  server_->stop();
  servant_->stop();
  if (heartbeat_) heartbeat_->tell_and_wait(ReplicaState::kStopping, "", milliseconds(500));
  heartbeat_.reset();
}

}  // namespace roost
