#include "cli/work/endpoint_logs.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "base/files.h"
#include "base/retry.h"
#include "cli/show/run_text.h"
#include "cli/work/endpoint_reference.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr auto kEvery = std::chrono::milliseconds(500);
constexpr Micros kPatience = 300 * kSecond;
constexpr std::size_t kRemembered = 4000;  // bytes at the end by which the place is found again
constexpr Backoff::Pauses kPauses{std::chrono::milliseconds(200), std::chrono::milliseconds(2000)};

}  // namespace

Result<std::string> read_endpoint_log(Console& console, const EndpointLogRequest& request) {
  std::string query = fmt::format("/logs?lines={}", request.lines);
  if (!request.deployment.empty()) query += "&deployment=" + percent_encode(request.deployment);
  if (!request.replica.empty()) query += "&replica=" + percent_encode(request.replica);
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->get(endpoint_path(console, request.endpoint, query)));
  return text_field(answer, "text");
}

std::string added_text(const std::string& before, const std::string& now) {
  if (before.empty()) return now;
  if (now.starts_with(before)) return now.substr(before.size());
  // The beginning is cut off as it grows: the end of what was there is looked for.
  const std::string end = before.size() > kRemembered ? before.substr(before.size() - kRemembered) : before;
  if (const std::size_t at = now.rfind(end); at != std::string::npos) return now.substr(at + end.size());
  for (std::size_t from = end.find('\n'); from != std::string::npos && from + 1 < end.size(); from = end.find('\n', from + 1)) {
    const std::string_view rest = std::string_view(end).substr(from + 1);
    if (now.starts_with(rest)) return now.substr(rest.size());
  }
  return now;
}

Result<int> follow_endpoint_log(Console& console, const EndpointLogRequest& request, InterruptWatch& watch) {
  const std::stop_token stop = watch.token();
  const SystemClock clock;
  Retry retry({is_away, kPatience}, Backoff(kPauses, stop), clock);
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::string before;
  while (!stop.stop_requested()) {
    auto now = read_endpoint_log(console, request);
    if (!now) {
      if (stop.stop_requested()) break;
      if (!retry.again(now.error())) return fail(now.error());
      console.forget_client();
      continue;
    }
    ROOST_CHECK(write_all(1, added_text(before, *now), "standard output"));
    before = std::move(*now);
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, kEvery, [] { return false; });
  }
  return 128 + watch.signal();
}

}  // namespace roost
