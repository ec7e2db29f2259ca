#include "onnx/answering.h"

#include <algorithm>

#include "base/text.h"
#include "net/content_encoding.h"

namespace roost {

Answering::Answering(std::uint64_t max_body_bytes, const std::string& cors_origins) : max_body_bytes_(max_body_bytes) {
  for (const std::string& each : split(cors_origins, ',')) {
    const std::string origin = lower(trim(each));
    if (origin == "*") any_origin_ = true;
    if (!origin.empty()) origins_.push_back(origin);
  }
}

Handler Answering::around(ErrorForm form, Handle handle) {
  return [this, form, handle = std::move(handle)](Request& request) { return answer(request, form, handle); };
}

Handler Answering::preflight() {
  return [this](Request& request) {
    Response response;
    response.status = 204;
    allow_origin(request, response);
    return response;
  };
}

Response Answering::answer(Request& request, ErrorForm form, const Handle& handle) {
  Response response;
  if (!enter()) {
    response = form(Error{ErrorCode::kUnavailable, "this replica is about to end; send the request again"});
  } else {
    auto result = [&]() -> Result<Response> {
      ROOST_CHECK(decode_body(request, max_body_bytes_));
      return handle(request);
    }();
    response = result ? std::move(*result) : form(result.error());
    leave(response.status);
  }
  if (response.status == 503) response.headers["Retry-After"] = "1";
  encode_body(request.header("accept-encoding"), response);
  allow_origin(request, response);
  return response;
}

void Answering::allow_origin(const Request& request, Response& response) const {
  if (origins_.empty()) return;
  const std::string origin = request.header("origin");
  if (!any_origin_) response.headers["Vary"] = "Origin";
  if (!any_origin_ && std::ranges::find(origins_, lower(origin)) == origins_.end()) return;
  response.headers["Access-Control-Allow-Origin"] = any_origin_ ? "*" : origin;
  if (request.method != "OPTIONS") return;
  response.headers["Access-Control-Allow-Methods"] = "GET, POST";
  const std::string wanted = request.header("access-control-request-headers");
  if (!wanted.empty()) response.headers["Access-Control-Allow-Headers"] = wanted;
}

bool Answering::enter() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  ++in_flight_;
  return true;
}

void Answering::leave(int status) {
  requests_.fetch_add(1, std::memory_order_relaxed);
  if (status >= 500) errors_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (--in_flight_ == 0 && stopped_) changed_.notify_all();
}

ServantLoad Answering::load() const {
  const std::lock_guard lock(mutex_);
  return {in_flight_, 0, requests_.load(std::memory_order_relaxed), errors_.load(std::memory_order_relaxed)};
}

void Answering::stop(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.wait_for(lock, longest, [this] { return in_flight_ == 0; });
}

}  // namespace roost
