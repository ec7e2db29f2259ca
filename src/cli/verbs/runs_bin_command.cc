#include <algorithm>
#include <iostream>
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

constexpr std::size_t kNamed = 10;

struct BinOptions {
  std::vector<std::string> runs;
  std::string query;
  std::string experiment;
  std::string older_than;
  bool yes = false;
  bool dry_run = false;
  bool purge = false;
  bool empty = false;
  bool quiet = false;
};

std::string plural(std::size_t count) { return count == 1 ? "1 run" : fmt::format("{} runs", count); }

// Runs by id; the others that a query finds are read page by page before the first is touched.
Result<std::vector<std::string>> runs_of_query(Console& console, const std::string& query, bool in_bin) {
  ROOST_TRY(ApiClient * client, console.client());
  std::vector<std::string> ids;
  for (;;) {
    ROOST_TRY(const Json page, client->get(fmt::format("{}?q={}&offset={}&limit=1000{}", console.in_workspace("/run-table"),
                                                       percent_encode(query), ids.size(), in_bin ? "&deleted=only" : "")));
    for (const Json& row : child(page, "items")) ids.push_back(text_field(row, "id"));
    if (child(page, "items").size() < 1000) return ids;
  }
}

Result<std::vector<std::string>> chosen_runs(Console& console, const BinOptions& options) {
  std::string query = options.query;
  if (!options.older_than.empty()) {
    ROOST_TRY(const std::int64_t seconds, parse_duration(options.older_than, "--older-than"));
    query = fmt::format("{}age>{}s status:ended", query.empty() ? "" : "(" + query + ") ", seconds);
  }
  if (query.empty() == options.runs.empty()) {
    return fail(ErrorCode::kInvalidArgument, "name runs, or say which by --query, --older-than or --experiment");
  }
  if (!query.empty()) return runs_of_query(console, query, false);
  std::vector<std::string> ids;
  for (const auto& reference : options.runs) {
    ROOST_TRY(const Json run, find_run(console, reference));
    ids.push_back(text_field(run, "id"));
  }
  return ids;
}

// A terminal is asked; whatever else calls has to say that it means it.
Result<bool> is_sure(const BinOptions& options, const std::string& question) {
  if (options.yes) return true;
  if (!is_terminal(0) || !is_terminal(2)) {
    return fail(ErrorCode::kInvalidArgument, "add --yes: there is no terminal to ask at");
  }
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Result<int> remove_experiment(Console& console, const BinOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  const std::string path = console.in_workspace("/experiments/" + percent_encode(options.experiment));
  ROOST_TRY(Json experiment, client->get(path));
  const auto runs = static_cast<std::size_t>(std::max<std::int64_t>(0, integer_at(experiment, "run_count")));
  if (options.dry_run) return Console::print(fmt::format("would delete the experiment {} with {}\n", options.experiment, plural(runs)));
  ROOST_TRY(const bool sure, is_sure(options, fmt::format("Delete the experiment {} with {}{}?", options.experiment, plural(runs),
                                                          options.purge ? " for good" : "")));
  if (!sure) return 1;
  ROOST_TRY(experiment, client->call("DELETE", path, nullptr));
  if (options.purge) {
    ROOST_TRY(experiment, client->post(path + "/purge", Json::object()));
  }
  if (console.json()) return console.print_json(experiment);
  if (options.purge) return Console::print(fmt::format("deleting the experiment {} with {} for good\n", options.experiment, plural(runs)));
  return Console::print(fmt::format("put the experiment {} with {} into the bin; roost runs restore --experiment {} takes it out\n",
                                    options.experiment, plural(runs), options.experiment));
}

Result<int> remove(Console& console, const BinOptions& options) {
  const bool whole = !options.experiment.empty() && options.query.empty() && options.older_than.empty() && options.runs.empty();
  if (whole) return remove_experiment(console, options);
  BinOptions wanted = options;
  if (!options.experiment.empty()) {
    wanted.query = fmt::format("experiment=\"{}\"{}", options.experiment, options.query.empty() ? "" : " (" + options.query + ")");
  }
  ROOST_TRY(const auto ids, chosen_runs(console, wanted));
  if (ids.empty()) {
    std::fputs("no runs\n", stderr);
    return 0;
  }
  if (options.dry_run) {
    for (const auto& id : ids) Console::print(id + "\n");
    std::fprintf(stderr, "would delete %s\n", plural(ids.size()).c_str());
    return 0;
  }
  std::string named;
  for (std::size_t i = 0; i < ids.size() && i < kNamed; ++i) named += "  " + ids[i] + "\n";
  if (ids.size() > kNamed) named += fmt::format("  and {} more\n", ids.size() - kNamed);
  ROOST_TRY(const bool sure, is_sure(options, fmt::format("{}Delete {}{}?", named, plural(ids.size()), options.purge ? " for good" : "")));
  if (!sure) return 1;
  ROOST_TRY(ApiClient * client, console.client());
  Json gone = Json::array();
  for (const auto& id : ids) {
    const std::string path = "/runs/" + percent_encode(id);
    ROOST_TRY(Json run, client->call("DELETE", path, nullptr));
    if (options.purge) {
      ROOST_TRY(run, client->post(path + "/purge", Json::object()));
    }
    gone.push_back(std::move(run));
  }
  if (console.json()) return console.print_json({{"items", std::move(gone)}, {"next_cursor", nullptr}});
  if (options.purge) return Console::print(fmt::format("deleting {} for good\n", plural(ids.size())));
  return Console::print(fmt::format("put {} into the bin; roost runs restore {} takes {} out\n", plural(ids.size()),
                                    ids.size() == 1 ? ids.front() : "RUN...", ids.size() == 1 ? "it" : "them"));
}

Result<int> restore(Console& console, const BinOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  if (options.runs.empty() == (options.experiment.empty() && options.query.empty())) {
    return fail(ErrorCode::kInvalidArgument, "name runs, or say which by --query or --experiment");
  }
  if (!options.experiment.empty()) {
    const std::string path = console.in_workspace("/experiments/" + percent_encode(options.experiment) + "/restore");
    ROOST_TRY(const Json experiment, client->post(path, Json::object()));
    if (console.json()) return console.print_json(experiment);
    return Console::print(fmt::format("took the experiment {} out of the bin\n", options.experiment));
  }
  std::vector<std::string> ids = options.runs;
  if (!options.query.empty()) {
    ROOST_TRY(ids, runs_of_query(console, options.query, true));
  }
  Json back = Json::array();
  for (const auto& id : ids) {
    ROOST_TRY(Json run, client->post("/runs/" + percent_encode(id) + "/restore", Json::object()));
    back.push_back(std::move(run));
  }
  if (console.json()) return console.print_json({{"items", std::move(back)}, {"next_cursor", nullptr}});
  return Console::print(fmt::format("took {} out of the bin\n", plural(ids.size())));
}

Result<int> look(Console& console, const BinOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(Json bin, client->get(console.in_workspace("/bin")));
  if (options.empty) {
    const auto runs = static_cast<std::size_t>(std::max<std::int64_t>(0, integer_at(bin, "runs")));
    ROOST_TRY(const bool sure, is_sure(options, fmt::format("Delete {} in the bin for good?", plural(runs))));
    if (!sure) return 1;
    Json body = Json::object();
    if (!options.older_than.empty()) {
      ROOST_TRY(body["older_than_seconds"], parse_duration(options.older_than, "--older-than"));
    }
    ROOST_TRY(bin, client->post(console.in_workspace("/bin/empty"), body));
    if (console.json()) return console.print_json(bin);
    return Console::print(fmt::format("deleting {} for good\n", plural(static_cast<std::size_t>(std::max<std::int64_t>(0, integer_at(bin, "being_deleted"))))));
  }
  ROOST_TRY(const Json list, all_items(*client, console.in_workspace("/runs?deleted=only")));
  if (console.json()) {
    bin["items"] = child(list, "items");
    return console.print_json(bin);
  }
  const Json& runs = child(list, "items");
  if (options.quiet) {
    for (const Json& run : runs) Console::print(text_field(run, "id") + "\n");
    return 0;
  }
  if (!runs.empty()) Console::print(run_table(runs, now_micros()).text(console.out(), terminal_width(1)));
  const std::string days = text_field(bin, "keep_days");
  std::fprintf(stderr, "%s in the bin%s\n", runs.empty() ? "nothing" : plural(runs.size()).c_str(),
               days == "0" ? "" : fmt::format("; what has been there for {} days is deleted for good", days).c_str());
  return 0;
}

}  // namespace

void register_runs_bin(Verb& runs, Console& console) {
  auto options = std::make_shared<BinOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const BinOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  runs.verb("rm", "Put runs into the bin, with all below them")
      .optional_arguments("RUN", options->runs, "ids, beginnings of ids, or @ for the newest")
      .option("--query", options->query, "QUERY", "those that the studio's search finds: docs/studio.md")
      .option("--older-than", options->older_than, "TIME", "those that were made so long ago and have ended: 30d")
      .option("-e,--experiment", options->experiment, "NAME", "the experiment; with --query or --older-than only those runs of it")
      .flag("--purge", options->purge, "delete them for good, at once and not after their time in the bin")
      .flag("-y,--yes", options->yes, "do not ask")
      .flag("--dry-run", options->dry_run, "only print which")
      .example("roost runs rm @")
      .example("roost runs rm --older-than 30d --query 'status:failed' --dry-run")
      .example("roost runs rm --experiment scratch --purge --yes")
      .action(act(remove));
  runs.verb("restore", "Take runs out of the bin")
      .optional_arguments("RUN", options->runs, "ids")
      .option("--query", options->query, "QUERY", "those in the bin that the studio's search finds")
      .option("-e,--experiment", options->experiment, "NAME", "an experiment, with the runs that went in with it")
      .example("roost runs restore birds_1763500000_0a1b2c3d")
      .action(act(restore));
  runs.verb("bin", "List what is in the bin, or empty it")
      .flag("--empty", options->empty, "delete everything in it for good")
      .option("--older-than", options->older_than, "TIME", "with --empty: only what has been there for so long")
      .flag("-y,--yes", options->yes, "do not ask")
      .flag("-q,--quiet", options->quiet, "print ids only")
      .example("roost runs bin --empty --older-than 7d")
      .action(act(look));
}

}  // namespace roost
