#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/compute_text.h"
#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"

namespace roost {
namespace {

constexpr const char* kStatuses[] = {"NotStarted",    "Starting",  "Preparing",  "Queued",
                                     "Provisioning",  "Running",   "Finalizing", "CancelRequested",
                                     "NotResponding", "Completed", "Failed",     "Canceled"};

// The runs of the workspace that are not over, by state, and all of them as "all".
Result<Json> run_counts(Console& console, ApiClient& client) {
  std::string path = console.in_workspace("/runs?status=");
  for (const char* status : kStatuses) {
    if (is_terminal_status(status)) continue;
    if (path.back() != '=') path += ",";
    path += status;
  }
  std::map<std::string, int> counts;
  ROOST_CHECK(each_item(client, path, [&](const Json& run) {
    ++counts[text_field(run, "status")];
    return true;
  }));
  counts["all"] = 0;
  ROOST_CHECK(each_item(client, console.in_workspace("/experiments"), [&](const Json& experiment) {
    const Json& runs = child(experiment, "run_count");
    if (runs.is_number_integer()) counts["all"] += runs.get<int>();
    return true;
  }));
  return Json(counts);
}

std::string counts_text(const Json& counts, const Style& style) {
  std::string text;
  for (const char* status : kStatuses) {
    const std::string count = text_field(counts, status);
    if (count.empty() || count == "0") continue;
    text += (text.empty() ? "" : ", ") + style(status_tone(status), count + " " + status);
  }
  if (text.empty()) text = "none under way";
  return text + style(Tone::kDim, fmt::format(", {} in all", text_field(counts, "all")));
}

Result<int> status(Console& console) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json server, client->get("/server"));
  ROOST_TRY(const Json counts, run_counts(console, *client));
  ROOST_TRY(const Json computes, all_items(*client, console.in_workspace("/computes")));
  if (console.json()) {
    Json document = server;
    document["run_counts"] = counts;
    document["computes"] = child(computes, "items");
    return console.print_json(document);
  }
  const Style style = console.out();
  FactList facts;
  facts.add("server", client->address().url);
  facts.add("version", text_field(server, "version"));
  if (const auto started = time_field(server, "started_at")) {
    facts.add("up",
              "for " + human_duration(static_cast<double>(now_micros() - *started) / kSecond));
  }
  facts.add("pid", text_field(server, "pid"));
  facts.add("data", text_field(server, "data"));
  facts.add("python", text_field(server, "python"));
  Console::print(facts.text(style));
  // Beside the list, which would show the colours as control characters.
  Console::print(style(Tone::kDim, "runs   ") + "  " + counts_text(counts, style) + "\n");
  if (const Json& items = child(computes, "items"); !items.empty()) {
    Console::print("\n" + compute_table(items).text(style, terminal_width(1)));
  }
  return 0;
}

}  // namespace

void register_status(Verb& root, Console& console) {
  root.verb("status", "Show the server, its runs by state and its computes")
      .group(kServerGroup)
      .action([&console] { return status(console); });
}

}  // namespace roost
