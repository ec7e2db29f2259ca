#include "serve/replica_heartbeat.h"

#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "base/report_error.h"
#include "base/retry.h"
#include "net/router.h"

namespace roost {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

const char* state_name(ReplicaState state) {
  switch (state) {
    case ReplicaState::kStarting: return "starting";
    case ReplicaState::kReady: return "ready";
    case ReplicaState::kStopping: return "stopping";
    case ReplicaState::kFailed: return "failed";
  }
  die("a replica has a state without a name");
}

HttpClient::Options call_options() {
  HttpClient::Options options;
  options.connect_timeout = std::chrono::milliseconds(2000);
  options.idle_timeout = std::chrono::milliseconds(5000);
  return options;
}

}  // namespace

Result<ServerAddress> find_server_of_run() {
  const std::string token = environment("ROOST_TOKEN");
  if (token.empty()) return fail(ErrorCode::kUnavailable, "ROOST_TOKEN is not set: this is no run of Roost's");
  if (const std::string file = environment("ROOST_SERVER_FILE"); !file.empty()) {
    if (auto address = read_server_file(file, token)) return address;
  }
  const std::string url = environment("ROOST_URL");
  if (url.empty()) return fail(ErrorCode::kUnavailable, "neither ROOST_SERVER_FILE nor ROOST_URL names a server");
  return ServerAddress{url, token, environment("ROOST_CA_FILE"), ""};
}

ReplicaHeartbeat::ReplicaHeartbeat(std::string run, ReplicaNews news, Calls calls, std::chrono::milliseconds every)
    : run_(std::move(run)), calls_(std::move(calls)), every_(every), news_(std::move(news)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

ReplicaHeartbeat::~ReplicaHeartbeat() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  if (client_) client_->interrupt();
}

void ReplicaHeartbeat::tell(ReplicaState state, std::string message) {
  {
    const std::lock_guard lock(mutex_);
    news_.state = state;
    news_.message = std::move(message);
    ++version_;
  }
  changed_.notify_all();
}

bool ReplicaHeartbeat::tell_and_wait(ReplicaState state, std::string message, std::chrono::milliseconds limit) {
  tell(state, std::move(message));
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = version_;
  return changed_.wait_for(lock, limit, [&] { return delivered_ >= wanted; });
}

void ReplicaHeartbeat::work(const std::stop_token& stop) {
  std::uint64_t sent = 0;
  while (!stop.stop_requested()) {
    ReplicaNews news;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, sent == 0 ? std::chrono::milliseconds(0) : every_,
                        [&] { return version_ != sent; });
      if (stop.stop_requested()) return;
      news = news_;
      sent = version_;
      if (!client_) {
        if (auto address = calls_.find_server()) {
          client_ = std::make_unique<ApiClient>(*std::move(address), call_options());
        } else if (!std::exchange(told_away_, true)) {
          log_warning("cannot tell the server of this replica: {}", address.error().message);
        }
      }
      if (!client_) continue;
    }
    if (take_turn("heartbeat", [&] { send(news); })) {
      const std::lock_guard lock(mutex_);
      if (client_) delivered_ = sent;
    }
    changed_.notify_all();
  }
}

void ReplicaHeartbeat::send(const ReplicaNews& news) {
  const Json body = body_of(news);
  const auto answer = client_->call("PUT", "/runs/" + percent_encode(run_) + "/replica", &body);
  if (answer) {
    if (std::exchange(told_away_, false)) log_info("the server knows of this replica again");
  } else {
    // Another one may listen there tomorrow; the address is looked up anew.
    const std::lock_guard lock(mutex_);
    client_.reset();
    if (!std::exchange(told_away_, true)) {
      log_warning("cannot tell the server of this replica, it goes on serving: {}", answer.error().message);
    }
  }
  const bool is_over = answer ? flag_at(*answer, "stop") : is_given_up(answer.error());
  if (is_over && !std::exchange(told_stop_, true) && calls_.stop_wanted) calls_.stop_wanted();
}

Json ReplicaHeartbeat::body_of(const ReplicaNews& news) const {
  const ServantLoad load = calls_.load ? calls_.load() : ServantLoad();
  return {{"state", state_name(news.state)},
          {"address", news.address},
          {"port", news.port},
          {"key", news.key},
          {"message", news.message},
          {"load",
           {{"in_flight", load.in_flight},
            {"queued", load.queued},
            {"requests", load.requests},
            {"errors", load.errors}}}};
}

}  // namespace roost
