#include "runner/server_link.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/log.h"

using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr int kMostRefusals = 3;  // something between us and the server may be mistaken for once

}  // namespace

void SpareClient::give(std::unique_ptr<ApiClient> client) { client_ = std::move(client); }

std::unique_ptr<ApiClient> SpareClient::take(const ServerAddress& address) {
  if (!client_ || !client_->take_over(address)) return nullptr;
  return std::move(client_);
}

void ServerLink::leave() {
  if (spare_ && client_) spare_->give(std::move(client_));
}

ApiClient* ServerLink::client() {
  if (client_) return client_.get();
  auto address = read_server_file(server_file_, token_);
  if (!address) return nullptr;
  address->data_id = data_id_;
  url_ = address->url;
  ca_file_ = address->ca_file;
  if (spare_) client_ = spare_->take(*address);
  if (client_) return client_.get();
  HttpClient::Options options;
  options.connect_timeout = std::chrono::milliseconds(2000);
  options.idle_timeout = std::chrono::milliseconds(30'000);
  client_ = std::make_unique<ApiClient>(std::move(*address), options);
  return client_.get();
}

Result<Json> ServerLink::once(const Work& work) {
  ApiClient* api = client();
  if (!api) return fail(ErrorCode::kUnavailable, "the server is not running");
  auto answer = work(*api);
  if (!answer && is_away(answer.error())) forget();
  return answer;
}

Result<Json> ServerLink::persist(const Work& work, const Status& own, std::chrono::milliseconds patience) {
  Backoff backoff({}, stop_);
  std::optional<steady_clock::time_point> troubled_since;
  int refusals = 0;
  bool told = false;
  for (;;) {
    auto answer = once(work);
    if (answer || stop_) return answer;
    const Error& error = answer.error();
    if (!own) return fail(own.error());
    if (is_given_up(error) || (is_refusal(error) && ++refusals >= kMostRefusals)) return answer;
    if (!is_away(error) && error.code != ErrorCode::kResourceExhausted && !is_refusal(error)) {
      if (!troubled_since) troubled_since = steady_clock::now();
      if (steady_clock::now() - *troubled_since > patience) return answer;
    }
    if (!std::exchange(told, true)) log_warning("{}; trying again until it works", error.message);
    backoff.pause();
  }
}

}  // namespace roost
