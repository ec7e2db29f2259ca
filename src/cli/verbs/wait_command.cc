#include <memory>

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/follow.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

Result<int> wait_for_runs(Console& console, const std::vector<std::string>& references) {
  // All of them first: "@" is another run later on.
  std::vector<std::string> ids;
  for (const std::string& reference : references) {
    ROOST_TRY(const Json run, find_run(console, reference));
    ids.push_back(text_field(run, "id"));
  }
  InterruptWatch watch;
  Json ended = Json::array();
  int code = 0;
  for (const std::string& id : ids) {
    ROOST_TRY(const Json run, wait_for_end(console, id, watch));
    if (run.is_null()) return 128 + watch.signal();
    if (code == 0) code = run_exit_code(run);
    ended.push_back(run);
    if (console.json()) continue;
    Console::print(fmt::format("{}  {}\n", id, console.out()(status_tone(text_field(run, "status")), run_outcome(run, now_micros()))));
    std::fflush(stdout);
  }
  if (console.json()) console.print_json(ended.size() == 1 ? ended[0] : Json{{"items", ended}});
  return code;
}

}  // namespace

void register_wait(Verb& root, Console& console) {
  auto references = std::make_shared<std::vector<std::string>>();
  root.verb("wait", "Wait for runs to end; end with the exit code of the first that failed")
      .group(kTrainGroup)
      .ends_as_run()
      .arguments("RUN", *references, "ids, beginnings of them, or @ for the newest")
      .example("roost wait @ @~1 && echo both are good")
      .action([&console, references] { return wait_for_runs(console, *references); });
}

}  // namespace roost
