#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/show/csv.h"
#include "cli/show/metric_text.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
#include "cli/work/system_metrics.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kMostPlots = 8;
constexpr int kSmallHeight = 5;
constexpr int kBigHeight = 14;
constexpr std::uint64_t kCsvPage = 100'000;

struct MetricsOptions {
  std::string reference;
  std::string name;
  bool csv = false;
  bool system = false;
};

int screen_width() {
  const int width = terminal_width(1);
  return width == 0 ? 100 : width;
}

std::string metric_path(const Json& run, const std::string& name) {
  return run_path(run, "/metrics/" + percent_encode(name, true));
}

Result<Json> get_curve(ApiClient& client, const Json& run, const std::string& name, int width) {
  return client.get(metric_path(run, name) + fmt::format("?buckets={}", std::max(16, width * 2)));
}

Status print_csv_of(ApiClient& client, const Json& run, const std::string& name, bool with_name) {
  for (std::uint64_t from = 0;;) {
    ROOST_TRY(const Json series,
              client.get(metric_path(run, name) +
                         fmt::format("?from_index={}&limit={}", from, kCsvPage)));
    const Json& points = child(series, "points");
    if (!points.is_array() || points.empty()) return {};
    for (const Json& point : points) {
      std::vector<std::string> cells;
      if (with_name) cells.push_back(name);
      for (const char* field : {"index", "step", "at", "value"}) {
        cells.push_back(text_field(point, field));
      }
      Console::print(csv_line(cells));
    }
    const Json& count = child(series, "count");
    from += points.size();
    if (!count.is_number_unsigned() || from >= count.get<std::uint64_t>()) return {};
  }
}

Result<int> print_csv(Console& console, const Json& run, const std::string& name) {
  ROOST_TRY(ApiClient * client, console.client());
  if (!name.empty()) {
    Console::print("index,step,at,value\n");
    ROOST_CHECK(print_csv_of(*client, run, name, false));
    return 0;
  }
  ROOST_TRY(const Json list, all_items(*client, run_path(run, "/metrics")));
  Console::print("name,index,step,at,value\n");
  for (const Json& metric : child(list, "items")) {
    ROOST_CHECK(print_csv_of(*client, run, text_field(metric, "name"), true));
  }
  return 0;
}

Result<int> show_one(Console& console, const Json& run, const std::string& name) {
  ROOST_TRY(ApiClient * client, console.client());
  const int width = screen_width();
  if (console.json()) {
    ROOST_TRY(const Json series, client->get(metric_path(run, name)));
    return console.print_json(series);
  }
  ROOST_TRY(const Json series, get_curve(*client, run, name, width));
  const Style style = console.out();
  Console::print(
      fmt::format("{}  {}\n", style(Tone::kBold, one_line(name)),
                  style(Tone::kDim, fmt::format("{}, {} points", text_field(series, "kind"),
                                                text_field(series, "count")))));
  return Console::print(metric_text(series, width, kBigHeight, style));
}

Result<int> show_all(Console& console, const Json& run) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json list, all_items(*client, run_path(run, "/metrics")));
  if (console.json()) return console.print_json(list);
  const Json& metrics = child(list, "items");
  if (metrics.empty()) {
    std::fputs("no metrics; a script logs them with roost.run or azureml.core.Run\n", stderr);
    return 0;
  }
  const Style style = console.out();
  const int width = screen_width();
  Console::print(metric_table(metrics).text(style, terminal_width(1)));
  std::size_t plots = 0;
  std::size_t more = 0;
  for (const Json& metric : metrics) {
    const std::string kind = text_field(metric, "kind");
    if (!has_curve(metric) && (kind == "scalar" || kind == "list")) continue;
    if (plots == kMostPlots) {
      ++more;
      continue;
    }
    ++plots;
    const std::string name = text_field(metric, "name");
    ROOST_TRY(const Json series, get_curve(*client, run, name, width));
    Console::print("\n" + style(Tone::kBold, one_line(name)) + "\n" +
                   metric_text(series, std::min(width, 90), kSmallHeight, style));
  }
  if (more > 0) {
    Console::print(
        fmt::format("\n{}\n", style(Tone::kDim, fmt::format("{} more: `roost metrics {} NAME`",
                                                            more, text_field(run, "id")))));
  }
  return 0;
}

Result<int> metrics(Console& console, const MetricsOptions& options) {
  ROOST_TRY(const Json run, find_run(console, options.reference));
  if (options.system) return show_system_metrics(console, run, options.name, options.csv);
  if (options.csv) return print_csv(console, run, options.name);
  return options.name.empty() ? show_all(console, run) : show_one(console, run, options.name);
}

}  // namespace

void register_metrics(Verb& root, Console& console) {
  auto options = std::make_shared<MetricsOptions>();
  root.verb("metrics", "Show what a run logged, as tables and curves")
      .group(kLookGroup)
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .optional_argument("NAME", options->name, "only this metric, larger")
      .flag("--csv", options->csv, "every point as comma-separated values")
      .flag("--system", options->system, "use of CPU, memory, disk, network and GPU by its nodes")
      .example("roost metrics @")
      .example("roost metrics @ train_loss --csv > loss.csv")
      .action([&console, options] { return metrics(console, *options); });
}

}  // namespace roost
