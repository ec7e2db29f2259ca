#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/verbs/commands.h"
#include "net/router.h"

namespace roost {
namespace {

struct DiskOptions {
  std::string experiment;
  std::int64_t limit = 10;
  bool runs = false;
};

std::string bytes_of(const Json& use, const char* name) {
  const Json& value = child(use, name);
  const std::uint64_t bytes = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  return bytes == 0 ? "-" : human_bytes(bytes);
}

TextTable table_of(const Json& items, const char* name, const std::string& title) {
  TextTable table({{title, false, true}, {"RUNS", true}, {"FREES", true}, {"OUTPUTS", true}, {"LOGS", true}, {"METRICS", true}, {"SHARED", true}});
  for (const Json& use : items) {
    const bool is_run = name == std::string_view("run");
    table.add({text_field(use, name), is_run ? "" : text_field(use, "runs"), bytes_of(use, "freed"), bytes_of(use, "outputs"),
               bytes_of(use, "logs"), bytes_of(use, "metrics"), bytes_of(use, "shared")});
  }
  return table;
}

Result<int> show(Console& console, const DiskOptions& options) {
  if (options.limit < 0 || options.limit > 1000) return fail(ErrorCode::kInvalidArgument, "--limit must be from 0 to 1000");
  ROOST_TRY(ApiClient * client, console.client());
  std::string path = console.in_workspace(fmt::format("/disk?limit={}", options.limit));
  if (!options.experiment.empty()) path += "&experiment=" + percent_encode(options.experiment);
  ROOST_TRY(Json uses, client->get(path));
  if (console.json()) return console.print_json(uses);
  if (options.experiment.empty() && !options.runs) {
    Json rows = child(uses, "experiments");
    Json all = child(uses, "workspace");
    all["experiment"] = "all of " + console.workspace();
    rows.push_back(std::move(all));
    Console::print(table_of(rows, "experiment", "EXPERIMENT").text(console.out(), terminal_width(1)));
  } else if (child(uses, "runs").empty()) {
    std::fputs("no runs\n", stderr);
  } else {
    Console::print(table_of(child(uses, "runs"), "run", "RUN").text(console.out(), terminal_width(1)));
  }
  const Json& total = child(uses, "disk_total");
  if (total.is_number_unsigned() && total.get<std::uint64_t>() > 0) {
    std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, fmt::format("{} of {} of the disk are free", bytes_of(uses, "disk_free"),
                                                                       bytes_of(uses, "disk_total"))).c_str());
  }
  return 0;
}

}  // namespace

void register_disk(Verb& root, Console& console) {
  auto options = std::make_shared<DiskOptions>();
  root.verb("disk", "What experiments and runs take of the disk, the largest first")
      .group(kServerGroup)
      .details("FREES is what deleting frees, once `roost gc` ran: equal files that others hold too are SHARED and stay.")
      .option("-e,--experiment", options->experiment, "NAME", "the runs of this experiment")
      .flag("--runs", options->runs, "the runs of all experiments")
      .option("-n,--limit", options->limit, "N", "at most so many runs (default: 10)")
      .example("roost disk")
      .example("roost disk --experiment birds -n 20")
      .action([&console, options] { return show(console, *options); });
}

}  // namespace roost
