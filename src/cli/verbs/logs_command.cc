#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/verbs/commands.h"
#include "cli/work/log_stream.h"
#include "cli/work/pages.h"
#include "cli/work/rank_stream.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

struct LogsOptions {
  std::string reference;
  std::string name;
  std::string ranks;
  bool all = false;
  std::optional<std::int64_t> tail;
  std::optional<std::int64_t> attempt;
  bool follow = false;
  bool list = false;
};

Result<int> list_logs(Console& console, const Json& run) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json logs, all_items(*client, run_path(run, "/logs")));
  if (console.json()) return console.print_json(logs);
  TextTable table({{"LOG"}, {"SIZE", true}, {"ATTEMPT", true}});
  for (const Json& log : child(logs, "items")) {
    const Json& size = child(log, "size");
    table.add({text_field(log, "title"),
               size.is_number_unsigned() ? human_bytes(size.get<std::uint64_t>()) : "",
               text_field(log, "attempt")});
  }
  if (table.empty()) {
    std::fputs("no logs yet\n", stderr);
    return 0;
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

// Empty if none was named.
Result<RankChoice> chosen_ranks(const LogsOptions& options, const Json& run) {
  const int ways = (options.all ? 1 : 0) + (options.ranks.empty() ? 0 : 1) + (options.name.empty() ? 0 : 1);
  if (ways > 1) {
    return fail(ErrorCode::kInvalidArgument, "--all, --rank and --name each say which log; give one of them");
  }
  if (options.all) return all_ranks(run);
  if (options.ranks.empty()) return RankChoice{};
  return parse_ranks(options.ranks, run);
}

Result<int> logs(Console& console, const LogsOptions& options) {
  ROOST_TRY(const Json run, find_run(console, options.reference));
  if (options.list) return list_logs(console, run);
  if (options.follow && options.attempt) {
    return fail(ErrorCode::kInvalidArgument,
                "--follow shows the last attempt; leave out --attempt");
  }
  if (options.tail && *options.tail < 0) {
    return fail(ErrorCode::kInvalidArgument, "--tail must not be negative");
  }
  std::optional<std::size_t> tail;
  if (options.tail) tail = static_cast<std::size_t>(*options.tail);
  ROOST_TRY(const RankChoice ranks, chosen_ranks(options, run));
  if (ranks.ranks.size() > 1) {
    if (!options.attempt) return print_ranks(console, run, ranks, options.follow, tail);
    return fail(ErrorCode::kInvalidArgument,
                "of an earlier attempt one rank is shown at a time: give --rank N with --attempt");
  }
  LogRequest request;
  request.run = run;
  request.tail = tail;
  if (!ranks.ranks.empty()) request.name = log_of_rank(run, ranks.ranks.front());
  if (!options.name.empty()) request.name = options.name;
  request.follow = options.follow;
  request.attempt = options.attempt;
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
      .option("-r,--rank", options->ranks, "N[,N...]",
              "of this process of a distributed run instead of the first")
      .flag("-a,--all", options->all, "of all its processes, in the order of time")
      .option("--name", options->name, "LOG", "another log than the output, see --list")
      .option("--attempt", options->attempt, "N", "of this attempt instead of the last")
      .flag("-l,--list", options->list, "list the logs")
      .example("roost logs -f @")
      .example("roost logs -f @ --all")
      .example("roost logs @ --rank 3 --tail 50")
      .example("roost logs @ --name logs/train.txt --tail 20")
      .action([&console, options] { return logs(console, *options); });
}

}  // namespace roost
