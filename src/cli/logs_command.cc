#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/log_stream.h"
#include "cli/pages.h"
#include "cli/run_reference.h"
#include "cli/run_text.h"
#include "cli/table.h"

namespace roost {
namespace {

struct LogsOptions {
  std::string reference;
  std::string name;
  std::optional<std::int64_t> tail;
  std::optional<std::int64_t> attempt;
  bool follow = false;
  bool list = false;
};

Result<int> list_logs(Console& console, const Json& run) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json logs, all_items(*client, run_path(run, "/logs")));
  if (console.json()) return Console::print_json(logs);
  TextTable table({{"LOG"}, {"SIZE", true}, {"ATTEMPT", true}});
  for (const Json& log : child(logs, "items")) {
    const Json& size = child(log, "size");
    table.add({text_field(log, "name"),
               size.is_number_unsigned() ? human_bytes(size.get<std::uint64_t>()) : "",
               text_field(log, "attempt")});
  }
  if (table.empty()) {
    std::fputs("no logs yet\n", stderr);
    return 0;
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

Result<int> logs(Console& console, const LogsOptions& options) {
  ROOST_TRY(const Json run, find_run(console, options.reference));
  if (options.list) return list_logs(console, run);
  if (options.follow && options.attempt) {
    return fail(ErrorCode::kInvalidArgument,
                "--follow shows the last attempt; leave out --attempt");
  }
  LogRequest request;
  request.run = run;
  if (!options.name.empty()) request.name = options.name;
  request.follow = options.follow;
  request.attempt = options.attempt;
  if (options.tail) {
    if (*options.tail < 0) return fail(ErrorCode::kInvalidArgument, "--tail must not be negative");
    request.tail = static_cast<std::size_t>(*options.tail);
  }
  return print_log(console, request);
}

}  // namespace

void register_logs(Verb& root, Console& console) {
  auto options = std::make_shared<LogsOptions>();
  root.verb("logs", "Print what a run wrote, live with -f")
      .group(kLookGroup)
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .flag("-f,--follow", options->follow, "go on as more is written, until the run ends")
      .option("-n,--tail", options->tail, "N", "only the last N lines")
      .option("--name", options->name, "LOG", "another log than the output, see --list")
      .option("--attempt", options->attempt, "N", "of this attempt instead of the last")
      .flag("-l,--list", options->list, "list the logs")
      .example("roost logs -f @")
      .example("roost logs @ --name logs/train.txt --tail 20")
      .action([&console, options] { return logs(console, *options); });
}

}  // namespace roost
