#include "runner/server_link.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/log.h"

namespace roost {

ApiClient* ServerLink::client() {
  if (client_) return client_.get();
  auto address = read_server_file(server_file_);
  if (!address) return nullptr;
  address->token = token_;
  url_ = address->url;
  ca_file_ = address->ca_file;
  HttpClient::Options options;
  options.connect_timeout = std::chrono::milliseconds(2000);
  options.idle_timeout = std::chrono::milliseconds(30'000);
  client_ = std::make_unique<ApiClient>(std::move(*address), options);
  return client_.get();
}

Result<Json> ServerLink::once(const std::function<Result<Json>(ApiClient&)>& work) {
  ApiClient* api = client();
  if (!api) return fail(ErrorCode::kUnavailable, "the server is not running");
  auto answer = work(*api);
  if (!answer && (answer.error().code == ErrorCode::kUnavailable ||
                  answer.error().code == ErrorCode::kDeadlineExceeded)) {
    forget();
  }
  return answer;
}

Result<Json> ServerLink::persist(const std::function<Result<Json>(ApiClient&)>& work) {
  std::chrono::milliseconds pause{10};
  bool told = false;
  for (;;) {
    auto answer = once(work);
    const bool again = !answer && (answer.error().code == ErrorCode::kUnavailable ||
                                   answer.error().code == ErrorCode::kDeadlineExceeded ||
                                   answer.error().code == ErrorCode::kResourceExhausted);
    if (!again || stop_) return answer;
    if (!std::exchange(told, true)) log_warning("{}; trying again until it works", answer.error().message);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(1000));
  }
}

}  // namespace roost
