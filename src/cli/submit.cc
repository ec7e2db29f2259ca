#include "cli/submit.h"

#include <cstdio>

#include <fmt/format.h>

#include "cli/follow.h"
#include "cli/run_text.h"
#include "net/router.h"

namespace roost {

Result<Json> post_run(Console& console, const std::string& workspace, const Json& spec) {
  ROOST_TRY(ApiClient * client, console.client());
  return client->post("/workspaces/" + percent_encode(workspace) + "/runs", spec);
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
