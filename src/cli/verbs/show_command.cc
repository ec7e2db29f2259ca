#include <memory>

#include "cli/show/rank_choice.h"
#include "cli/show/run_page.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
#include "net/router.h"

namespace roost {
namespace {

// Why the run waits, if it does; null if that cannot be told, which is no reason to show nothing.
Json wait_of(Console& console, ApiClient& client, const Json& run) {
  const std::string status = text_field(run, "status");
  if (status != "Preparing" && status != "Queued" && status != "Provisioning") return nullptr;
  const auto page = client.get(console.in_workspace("/queue?run=" + percent_encode(text_field(run, "id"))));
  if (!page) return nullptr;
  const Json& items = child(*page, "items");
  return items.empty() ? Json() : items.front();
}

Result<int> show_run(Console& console, const std::string& reference) {
  RunPageFacts page;
  ROOST_TRY(page.run, find_run(console, reference));
  if (console.json()) return console.print_json(page.run);
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json events, all_items(*client, run_path(page.run, "/events")));
  page.events = child(events, "items");
  if (rank_count(page.run) > 1) {
    ROOST_TRY(const Json ranks, all_items(*client, run_path(page.run, "/ranks")));
    page.ranks = child(ranks, "items");
  }
  page.wait = wait_of(console, *client, page.run);
  const int width = terminal_width(1);
  return Console::print(run_page(page, now_micros(), width == 0 ? 100 : width, console.out()));
}

}  // namespace

void register_show(Verb& root, Console& console) {
  auto reference = std::make_shared<std::string>();
  root.verb("show", "Show all facts of a run")
      .group(kLookGroup)
      .argument("RUN", *reference, "its id, the beginning of it, or @ for the newest")
      .example("roost show @")
      .action([&console, reference] { return show_run(console, *reference); });
}

}  // namespace roost
