#include "cli/work/submit.h"

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/retry.h"
#include "cli/show/run_text.h"
#include "cli/work/follow.h"
#include "net/router.h"

namespace roost {

namespace {

constexpr Micros kPatience = 30 * kSecond;
constexpr Backoff::Pauses kPauses{std::chrono::milliseconds(100), std::chrono::milliseconds(2000)};

// Posts once. `reached` becomes true when the server may have heard of it: the body is asked for only then.
Result<Json> try_post(Console& console, const std::string& path, const std::string& body,
                      const std::string& key, bool& reached) {
  ROOST_TRY(ApiClient * client, console.client());
  ClientRequest request;
  request.method = "POST";
  request.target = path;
  request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}, {"Idempotency-Key", key}};
  request.body_length = body.size();
  bool sent = false;
  request.body_source = [&]() -> Result<std::string> {
    reached = true;
    return std::exchange(sent, true) ? std::string() : body;
  };
  ROOST_TRY(const ClientResponse response, client->send(std::move(request)));
  return parse_json(response.body, "the answer of " + client->address().url);
}

}  // namespace

Result<Json> post_once(Console& console, const std::string& path, const Json& body) {
  const std::string text = to_text(body);
  const std::string key = random_hex(16);
  const SystemClock clock;
  Retry retry({is_away, kPatience}, Backoff(kPauses), clock);
  bool reached = false;
  for (;;) {
    auto made = try_post(console, path, text, key, reached);
    // A server that never heard of it is off. One that did may have made it: the key finds it.
    if (made || !reached || !retry.again(made.error())) return made;
    console.forget_client();
  }
}

Result<Json> post_run(Console& console, const std::string& workspace, const Json& spec) {
  return post_once(console, "/workspaces/" + percent_encode(workspace) + "/runs", spec);
}

bool lacks_snapshot(const Error& error) {
  return error.code == ErrorCode::kFailedPrecondition &&
         error.message.find("snapshot") != std::string::npos;
}

Result<int> after_submit(Console& console, const Json& run, const AfterSubmit& what,
                         InterruptWatch& watch) {
  const std::string id = text_field(run, "id");
  const Style style = console.err();
  if (what.detach) {
    if (console.json()) return console.print_json(run);
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
