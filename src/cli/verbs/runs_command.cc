#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_table.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
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
  std::string query;
  std::int64_t limit = 20;
  bool all = false;
  bool archived = false;
  bool quiet = false;
};

Result<std::string> list_path(Console& console, const RunsOptions& options) {
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
  if (!options.parent.empty()) {
    ROOST_TRY(const Json parent, find_run(console, options.parent));
    add("parent", text_field(parent, "id"));
  }
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

bool has_filters(const RunsOptions& options) {
  return !options.experiment.empty() || !options.statuses.empty() || !options.tags.empty() || !options.name.empty() ||
         !options.compute.empty() || !options.parent.empty() || !options.since.empty() || !options.until.empty();
}

// Rows of the run table, which has pages by offset, as a list.
Result<Json> query_runs(const Console& console, ApiClient& client, const RunsOptions& options) {
  Json items = Json::array();
  for (;;) {
    const std::int64_t left = options.all ? 1000 : std::min<std::int64_t>(1000, options.limit - static_cast<std::int64_t>(items.size()));
    ROOST_TRY(const Json page, client.get(fmt::format("{}?q={}&offset={}&limit={}", console.in_workspace("/run-table"),
                                                      percent_encode(options.query), items.size(), left)));
    const Json& rows = child(page, "items");
    items.insert(items.end(), rows.begin(), rows.end());
    const bool enough = !options.all && static_cast<std::int64_t>(items.size()) >= options.limit;
    if (rows.empty() || enough) break;
  }
  return Json{{"items", std::move(items)}, {"next_cursor", nullptr}};
}

Result<Json> find_runs(Console& console, ApiClient& client, const RunsOptions& options) {
  if (!options.query.empty()) return query_runs(console, client, options);
  ROOST_TRY(const std::string path, list_path(console, options));
  return listed_runs(client, path, options.all ? 0 : static_cast<std::size_t>(options.limit), options.archived);
}

Result<int> list_runs(Console& console, const RunsOptions& options) {
  if (options.limit < 1) return fail(ErrorCode::kInvalidArgument, "--limit must be at least 1");
  if (!options.query.empty() && has_filters(options)) {
    return fail(ErrorCode::kInvalidArgument, "--query says all by itself; write the other filters into it");
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json list, find_runs(console, *client, options));
  if (console.json()) return console.print_json(list);
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
  Verb& runs = root.verb("runs", "List runs, newest first");
  register_runs_bin(runs, console);
  runs
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
      .option("--query", options->query, "QUERY", "only those that the studio's search finds: docs/studio.md")
      .option("-n,--limit", options->limit, "N", "at most so many (default: 20)")
      .flag("-a,--all", options->all, "all of them")
      .flag("--archived", options->archived, "those that `roost archive` took out of the list")
      .flag("-q,--quiet", options->quiet, "print ids only")
      .example("roost runs --experiment birds --status Failed --since 1d")
      .example("roost runs --tag stage=baseline --json")
      .example("roost runs --query 'status:failed metrics.loss<0.3 -tags.draft'")
      .action([&console, options] { return list_runs(console, *options); });
}

}  // namespace roost
