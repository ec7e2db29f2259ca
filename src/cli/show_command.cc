#include <memory>

#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/rank_choice.h"
#include "cli/run_page.h"
#include "cli/run_reference.h"
#include "cli/run_text.h"
#include "cli/times.h"

namespace roost {
namespace {

Result<int> show_run(Console& console, const std::string& reference) {
  ROOST_TRY(const Json run, find_run(console, reference));
  if (console.json()) return Console::print_json(run);
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json events, all_items(*client, run_path(run, "/events")));
  Json ranks;
  if (rank_count(run) > 1) {
    ROOST_TRY(ranks, all_items(*client, run_path(run, "/ranks")));
  }
  const int width = terminal_width(1);
  return Console::print(run_page(run, child(events, "items"), child(ranks, "items"), now_micros(),
                                 width == 0 ? 100 : width, console.out()));
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
