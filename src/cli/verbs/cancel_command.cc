#include <memory>

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

Result<int> cancel_runs(Console& console, const std::vector<std::string>& references) {
  ROOST_TRY(ApiClient * client, console.client());
  Json canceled = Json::array();
  for (const std::string& reference : references) {
    ROOST_TRY(const Json run, find_run(console, reference));
    ROOST_TRY(const Json after, client->post(run_path(run, "/cancel"), Json::object()));
    const std::string status = text_field(after, "status");
    if (!console.json()) {
      const bool over = is_terminal_status(status);
      Console::print(fmt::format("{}  {}{}\n", text_field(after, "id"),
                                 console.out()(status_tone(status), status),
                                 over ? "" : "  (its processes get SIGTERM, later SIGKILL)"));
    }
    canceled.push_back(after);
  }
  if (console.json()) {
    return console.print_json(canceled.size() == 1 ? canceled[0] : Json{{"items", canceled}});
  }
  return 0;
}

}  // namespace

void register_cancel(Verb& root, Console& console) {
  auto references = std::make_shared<std::vector<std::string>>();
  root.verb("cancel", "Stop runs")
      .group(kTrainGroup)
      .arguments("RUN", *references, "ids, beginnings of them, or @ for the newest")
      .example("roost cancel @")
      .action([&console, references] { return cancel_runs(console, *references); });
}

}  // namespace roost
