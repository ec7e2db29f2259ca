#include "cli/submit.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "base/digest.h"
#include "cli/follow.h"
#include "cli/run_text.h"
#include "net/router.h"

namespace roost {

namespace {

using std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kLongestDelay = std::chrono::milliseconds(2000);

// Posts once. `reached` becomes true when the server may have heard of it: the body is asked for only then.
Result<Json> try_post_run(Console& console, const std::string& workspace, const std::string& spec,
                          const std::string& key, bool& reached) {
  ROOST_TRY(ApiClient * client, console.client());
  ClientRequest request;
  request.method = "POST";
  request.target = "/workspaces/" + percent_encode(workspace) + "/runs";
  request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}, {"Idempotency-Key", key}};
  request.body_length = spec.size();
  bool sent = false;
  request.body_source = [&]() -> Result<std::string> {
    reached = true;
    return std::exchange(sent, true) ? std::string() : spec;
  };
  ROOST_TRY(const ClientResponse response, client->send(std::move(request)));
  return parse_json(response.body, "the answer of " + client->address().url);
}

}  // namespace

Result<Json> post_run(Console& console, const std::string& workspace, const Json& spec) {
  const std::string text = to_text(spec);
  const std::string key = random_hex(16);
  const auto until = steady_clock::now() + kPatience;
  std::chrono::milliseconds delay(100);
  bool reached = false;
  for (;;) {
    auto run = try_post_run(console, workspace, text, key, reached);
    const bool lost = !run && (run.error().code == ErrorCode::kUnavailable ||
                               run.error().code == ErrorCode::kDeadlineExceeded);
    // A server that never heard of it is off. One that did may have started the run: the key finds it.
    if (!lost || !reached || steady_clock::now() + delay > until) return run;
    std::this_thread::sleep_for(delay);
    delay = std::min(2 * delay, kLongestDelay);
    console.forget_client();
  }
}

Result<int> after_submit(Console& console, const Json& run, const AfterSubmit& what,
                         InterruptWatch& watch) {
  const std::string id = text_field(run, "id");
  const Style style = console.err();
  if (what.detach) {
    if (console.json()) return Console::print_json(run);
    Console::print(id + "\n");
    if (is_terminal(2)) {
      std::fprintf(stderr, "%s\n",
                   style(Tone::kDim, "follow it with `roost logs -f " + id + "`").c_str());
    }
    return 0;
  }
  if (console.json()) {
    Console::print(to_text({{"type", "submitted"}, {"run", run}}) + "\n");
    std::fflush(stdout);
  } else {
    std::fprintf(stderr, "%s\n", style(Tone::kDim, "run " + id).c_str());
  }
  if (what.all_ranks && rank_count(run) > 1) return follow_run(console, id, watch, all_ranks(run));
  return follow_run(console, id, watch);
}

}  // namespace roost
