#include "cli/work/system_metrics.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/show/csv.h"
#include "cli/show/plot.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

// What a run itself uses has this in front of its name; all else is the whole machine's, whoever uses it.
constexpr std::string_view kOfRun = "run_";

bool is_of_run(const std::string& name) { return name.starts_with(kOfRun); }
std::string metric_of(const std::string& name) { return is_of_run(name) ? name.substr(kOfRun.size()) : name; }

int print_csv(const Json& answer, const std::string& name) {
  Console::print("node,name,at,value\n");
  for (const Json& series : child(answer, "series")) {
    if (!name.empty() && text_field(series, "name") != name) continue;
    for (const Json& point : child(series, "points")) {
      Console::print(csv_line({text_field(series, "node"), text_field(series, "name"),
                               text_field(point, "at"), text_field(point, "value")}));
    }
  }
  return 0;
}

std::string plots(const std::vector<SystemSeries>& all, bool with_nodes, const Style& style) {
  std::string out;
  const int width = terminal_width(1);
  for (const SystemSeries& series : all) {
    if (series.values.size() < 2) continue;
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      points.push_back({series.seconds[i], series.values[i], series.values[i]});
    }
    const std::string title = (is_of_run(series.name) ? "run: " : "machine: ") + metric_of(series.name);
    out += "\n" + style(Tone::kBold, one_line(title)) +
           (with_nodes ? "  " + style(Tone::kDim, series.node) : "") + "\n" +
           plot(points, std::clamp((width == 0 ? 100 : width) - 14, 10, 76), 4);
  }
  return out;
}

}  // namespace

std::vector<SystemSeries> system_series(const Json& answer, const std::string& name) {
  std::vector<SystemSeries> all;
  for (const Json& item : child(answer, "series")) {
    if (!name.empty() && text_field(item, "name") != name) continue;
    SystemSeries series{text_field(item, "node"), text_field(item, "name"), {}, {}};
    std::optional<Micros> first;
    for (const Json& point : child(item, "points")) {
      const auto at = time_field(point, "at");
      const auto value = json_number(child(point, "value"));
      if (!at || !value) continue;
      if (!first) first = at;
      series.seconds.push_back(static_cast<double>(*at - *first) / kSecond);
      series.values.push_back(*value);
    }
    all.push_back(std::move(series));
  }
  return all;
}

Result<int> show_system_metrics(Console& console, const Json& run, const std::string& name,
                                bool csv) {
  ROOST_TRY(ApiClient * client, console.client());
  const bool whole = csv || console.json();
  const std::string query = fmt::format("/system-metrics?buckets={}", whole ? 100'000 : 200);
  ROOST_TRY(const Json answer, client->get(run_path(run, query)));
  if (console.json()) return console.print_json(answer);
  if (csv) return print_csv(answer, name);
  const std::vector<SystemSeries> all = system_series(answer, name);
  TextTable table({{"NODE", false, true},
                   {"OF"},
                   {"METRIC"},
                   {"SAMPLES", true},
                   {"LAST", true},
                   {"MIN", true},
                   {"MAX", true}});
  bool several_nodes = false;
  for (const SystemSeries& series : all) {
    several_nodes = several_nodes || series.node != all.front().node;
    if (series.values.empty()) continue;
    const auto [low, high] = std::minmax_element(series.values.begin(), series.values.end());
    table.add({series.node, is_of_run(series.name) ? "run" : "machine", metric_of(series.name), fmt::format("{}", series.values.size()),
               short_number(series.values.back()), short_number(*low), short_number(*high)});
  }
  if (table.empty()) {
    std::fputs("no samples yet\n", stderr);
    return 0;
  }
  Console::print(table.text(console.out(), terminal_width(1)));
  return Console::print(plots(all, several_nodes, console.out()));
}

}  // namespace roost
