#include "cli/work/endpoint_reference.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include <fmt/format.h>

#include "base/retry.h"
#include "base/text.h"
#include "cli/show/endpoint_text.h"
#include "cli/show/run_text.h"
#include "cli/show/status_line.h"
#include "cli/show/text_width.h"
#include "net/router.h"

namespace roost {
namespace {

using std::chrono::steady_clock;
constexpr auto kEvery = std::chrono::milliseconds(200);
constexpr Micros kPatience = 300 * kSecond;
constexpr Backoff::Pauses kPauses{std::chrono::milliseconds(200), std::chrono::milliseconds(2000)};

// Says each step once.
class Steps {
 public:
  Steps(const Console& console, std::size_t known) : style_(console.err()), told_(known), line_(style_, !console.json()) {}

  void tell(const Json& endpoint, const Json& deployment) {
    const Json& steps = child(endpoint, "steps");
    std::string last;
    if (steps.is_array()) {
      if (steps.size() < told_) told_ = 0;  // another operation has begun
      for (; told_ < steps.size(); ++told_) say(text_field(steps[told_], "text"));
      if (!steps.empty()) last = text_field(steps.back(), "text");
    }
    const std::string state = text_field(deployment, "state");
    if (is_terminal(2)) {
      line_.show(last.empty() ? state : state + ": " + one_line(last));
    } else if (state != state_ && state == "Unschedulable") {
      say(state + ": " + endpoint_error(endpoint, text_field(deployment, "name")));
    }
    state_ = state;
  }

 private:
  void say(const std::string& text) {
    if (text.empty() || is_terminal(2)) return;
    std::fprintf(stderr, "%s\n", style_(Tone::kDim, one_line(text)).c_str());
  }

  const Style style_;
  std::size_t told_;
  std::string state_;
  StatusLine line_;
};

Result<Json> read_patiently(Console& console, const std::string& endpoint, const std::stop_token& stop) {
  const SystemClock clock;
  Retry retry({is_away, kPatience}, Backoff(kPauses, stop), clock);
  for (;;) {
    auto found = find_endpoint(console, endpoint);
    if (found || stop.stop_requested() || !retry.again(found.error())) return found;
    console.forget_client();
  }
}

}  // namespace

std::string endpoint_path(const Console& console, const std::string& name, const std::string& rest) {
  return console.in_workspace("/endpoints/" + percent_encode(name)) + rest;
}

Result<Json> find_endpoint(Console& console, const std::string& name) {
  ROOST_TRY(ApiClient * client, console.client());
  return client->get(endpoint_path(console, name));
}

Result<Json> look_for_endpoint(Console& console, const std::string& name) {
  auto found = find_endpoint(console, name);
  if (!found && found.error().code == ErrorCode::kNotFound) return Json();
  return found;
}

Result<std::string> choose_deployment(const Json& endpoint, const std::string& named) {
  const Json& deployments = child(endpoint, "deployments");
  std::string names;
  for (const Json& deployment : deployments) {
    const std::string name = text_field(deployment, "name");
    if (name == named) return name;
    names += (names.empty() ? "" : ", ") + name;
  }
  if (named.empty() && deployments.size() == 1) return text_field(deployments[0], "name");
  const std::string what = named.empty() ? "has several deployments; name one of" : "has no deployment \"" + printable(named) + "\"; it has";
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the endpoint {} {} {}", text_field(endpoint, "name"), what, names.empty() ? "none" : names));
}

Result<Json> wait_for_deployment(Console& console, const std::string& endpoint, const std::string& deployment,
                                 std::int64_t seconds, InterruptWatch& watch) {
  const std::stop_token stop = watch.token();
  const auto deadline = steady_clock::now() + std::chrono::seconds(seconds);
  Steps steps(console, 0);
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    auto found = read_patiently(console, endpoint, stop);
    if (stop.stop_requested()) break;
    if (!found) return fail(found.error());
    const Json& one = find_deployment(*found, deployment);
    if (one.is_null()) {
      return fail(ErrorCode::kFailedPrecondition, fmt::format("the deployment {} of {} was removed meanwhile", deployment, endpoint));
    }
    steps.tell(*found, one);
    const std::string state = text_field(one, "state");
    if (state == "Healthy") return *found;
    const std::string why = endpoint_error(*found, deployment);
    // What could not be replaced goes on serving, and is unhealthy for the new one's sake.
    const bool old_serves = state == "Unhealthy" && !why.empty();
    if (state == "Failed" || old_serves) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} failed: {}\n{}`roost endpoints logs {}` shows what its replicas said", endpoint,
                              why.empty() ? "the server gives no reason" : why,
                              old_serves ? "what it was before goes on serving; " : "", endpoint));
    }
    if (steady_clock::now() >= deadline) {
      return fail(ErrorCode::kDeadlineExceeded,
                  fmt::format("{} is still {} after {} s{}. It goes on; `roost endpoints show {}` tells how it is", endpoint, state,
                              seconds, why.empty() ? "" : ": " + why, endpoint));
    }
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, kEvery, [] { return false; });
  }
  std::fprintf(stderr, "\nthe deployment goes on; see it with `roost endpoints show %s`\n", endpoint.c_str());
  return Json();
}

}  // namespace roost
