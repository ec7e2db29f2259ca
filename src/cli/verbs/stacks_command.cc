#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

void print_process(Console& console, const Json& process) {
  const auto style = console.out();
  Console::print(fmt::format("{}  {}\n", style(Tone::kBold, fmt::format("rank {} on {}", process.value("rank", 0),
                                                                       text_field(process, "node"))),
                             style(Tone::kDim, fmt::format("process {}: {}", process.value("pid", 0),
                                                           text_field(process, "command")))));
  const std::string stack = text_field(process, "stack");
  if (stack.empty()) {
    Console::print("  no Python, or it does not answer\n\n");
    return;
  }
  for (const auto& line : split(trim(stack), '\n')) Console::print(fmt::format("  {}\n", line));
  Console::print("\n");
}

Result<int> show_stacks(Console& console, const std::string& reference, bool all) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json run, find_run(console, reference));
  ROOST_TRY(const Json answer, client->post(run_path(run, "/stacks"), Json::object()));
  if (console.json()) return console.print_json(answer);
  for (const auto& process : answer.value("items", Json::array())) {
    if (all || !text_field(process, "stack").empty()) print_process(console, process);
  }
  for (const auto& node : answer.value("missing_nodes", std::vector<std::string>())) {
    Console::print(fmt::format("{}\n", console.out()(Tone::kYellow, fmt::format("node {} did not answer", node))));
  }
  return 0;
}

}  // namespace

void register_stacks(Verb& root, Console& console) {
  auto reference = std::make_shared<std::string>();
  auto all = std::make_shared<bool>(false);
  root.verb("stacks", "Show where every Python process of a run is now")
      .group(kLookGroup)
      .argument("RUN", *reference, "id, a beginning of it, or @ for the newest")
      .flag("--all", *all, "also processes that are no Python")
      .example("roost stacks @")
      .action([&console, reference, all] { return show_stacks(console, *reference, *all); });
}

}  // namespace roost
