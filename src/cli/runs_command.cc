#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/run_table.h"
#include "cli/run_text.h"
#include "cli/times.h"
#include "net/router.h"

namespace roost {
namespace {

struct RunsOptions {
  std::string experiment;
  std::vector<std::string> statuses;
  std::vector<std::string> tags;
  std::string name;
  std::string compute;
  std::string parent;
  std::string since;
  std::string until;
  std::int64_t limit = 20;
  bool all = false;
  bool quiet = false;
};

Result<std::string> list_path(const Console& console, const RunsOptions& options) {
  std::string query;
  const auto add = [&query](const char* key, const std::string& value) {
    if (value.empty()) return;
    query += (query.empty() ? "?" : "&") + std::string(key) + "=" + percent_encode(value);
  };
  add("experiment", options.experiment);
  for (const std::string& status : options.statuses) add("status", status);
  for (const std::string& tag : options.tags) add("tag", tag);
  add("name", options.name);
  add("compute", options.compute);
  add("parent", options.parent);
  const Micros now = now_micros();
  if (!options.since.empty()) {
    ROOST_TRY(const Micros after, parse_moment(options.since, now, "--since"));
    add("created_after", format_time(after));
  }
  if (!options.until.empty()) {
    ROOST_TRY(const Micros before, parse_moment(options.until, now, "--until"));
    add("created_before", format_time(before));
  }
  return console.in_workspace("/runs") + query;
}

Result<int> list_runs(Console& console, const RunsOptions& options) {
  if (options.limit < 1) return fail(ErrorCode::kInvalidArgument, "--limit must be at least 1");
  ROOST_TRY(const std::string path, list_path(console, options));
  ROOST_TRY(ApiClient * client, console.client());
  const auto limit = options.all ? 0 : static_cast<std::size_t>(options.limit);
  ROOST_TRY(const Json list, all_items(*client, path, limit));
  if (console.json()) return Console::print_json(list);
  const Json& runs = child(list, "items");
  if (options.quiet) {
    for (const Json& run : runs) Console::print(text_field(run, "id") + "\n");
    return 0;
  }
  if (runs.empty()) {
    std::fputs("no runs\n", stderr);
    return 0;
  }
  Console::print(run_table(runs, now_micros()).text(console.out(), terminal_width(1)));
  if (!text_field(list, "next_cursor").empty() && is_terminal(1)) {
    Console::print(console.out()(Tone::kDim, "older ones: --limit N or --all") + "\n");
  }
  return 0;
}

}  // namespace

void register_runs(Verb& root, Console& console) {
  auto options = std::make_shared<RunsOptions>();
  root.verb("runs", "List runs, newest first")
      .group(kLookGroup)
      .option("-e,--experiment", options->experiment, "NAME", "only of this experiment")
      .option("-s,--status", options->statuses, "STATUS",
              "only in this state, like Running or Failed")
      .option("-t,--tag", options->tags, "KEY[=VALUE]", "only with this tag")
      .option("--name", options->name, "TEXT", "only with this text in the id or display name")
      .option("--compute", options->compute, "NAME", "only on this compute")
      .option("--parent", options->parent, "RUN", "only children of this run")
      .option("--since", options->since, "TIME", "only made after: 2h, 7d, 2026-11-15")
      .option("--until", options->until, "TIME", "only made before")
      .option("-n,--limit", options->limit, "N", "at most so many (default: 20)")
      .flag("-a,--all", options->all, "all of them")
      .flag("-q,--quiet", options->quiet, "print ids only")
      .example("roost runs --experiment birds --status Failed --since 1d")
      .example("roost runs --tag stage=baseline --json")
      .action([&console, options] { return list_runs(console, *options); });
}

}  // namespace roost
