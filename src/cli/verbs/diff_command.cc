#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/metric_text.h"
#include "cli/show/run_diff.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/text_width.h"
#include "cli/verbs/commands.h"
#include "cli/work/code_diff.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

struct RunDiff {
  Json a;
  Json b;
  std::vector<Difference> spec;
  std::vector<FileDifference> files;
  std::vector<Difference> metrics;
};

Result<RunDiff> compare(Console& console, const std::string& a, const std::string& b) {
  RunDiff diff;
  ROOST_TRY(diff.a, find_run(console, a));
  ROOST_TRY(diff.b, find_run(console, b));
  ROOST_TRY(ApiClient * client, console.client());
  diff.spec = spec_differences(diff.a, diff.b);
  ROOST_TRY(diff.files, code_differences(*client, text_field(diff.a, "snapshot"),
                                         text_field(diff.b, "snapshot")));
  ROOST_TRY(const Json metrics_a, all_items(*client, run_path(diff.a, "/metrics")));
  ROOST_TRY(const Json metrics_b, all_items(*client, run_path(diff.b, "/metrics")));
  diff.metrics = metric_comparison(child(metrics_a, "items"), child(metrics_b, "items"));
  return diff;
}

Json as_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& d : differences) {
    list.push_back({{"name", d.name}, {"a", d.a}, {"b", d.b}});
  }
  return list;
}

Json as_json(const RunDiff& diff) {
  Json files = Json::array();
  for (const FileDifference& file : diff.files) {
    files.push_back(
        {{"path", file.path}, {"change", file.change}, {"diff", file.diff}, {"note", file.note}});
  }
  return {{"a", text_field(diff.a, "id")},
          {"b", text_field(diff.b, "id")},
          {"spec", as_json(diff.spec)},
          {"code", files},
          {"metrics", as_json(diff.metrics)}};
}

std::string coloured(const std::string& diff, const Style& style) {
  std::string out;
  for (const std::string& line : split(trim(diff), '\n')) {
    const Tone tone = line.starts_with("+++") || line.starts_with("---") ? Tone::kBold
                      : line.starts_with("+")                            ? Tone::kGreen
                      : line.starts_with("-")                            ? Tone::kRed
                      : line.starts_with("@@")                           ? Tone::kCyan
                                                                         : Tone::kPlain;
    out += style(tone, one_line(line)) + "\n";
  }
  return out;
}

std::string code_text(const std::vector<FileDifference>& files, const Style& style) {
  std::string out;
  for (const FileDifference& file : files) {
    out += fmt::format("  {} {}{}\n", style(Tone::kDim, pad_text(file.change, 8)),
                       one_line(file.path), file.note.empty() ? "" : "  (" + file.note + ")");
  }
  for (const FileDifference& file : files) {
    if (!file.diff.empty()) out += "\n" + coloured(file.diff, style);
  }
  return out;
}

std::string table_text(const std::vector<Difference>& differences, const RunDiff& diff,
                       bool metrics, const Style& style) {
  TextTable table({{metrics ? "METRIC" : "", false, true},
                   {"A " + text_field(diff.a, "id"), metrics, true},
                   {"B " + text_field(diff.b, "id"), metrics, true}});
  for (const Difference& d : differences) {
    const bool same = d.a == d.b;
    const auto text = [&](const Json& value) {
      return metrics ? metric_value_text(value) : value_text(value);
    };
    table.add({{d.name, Tone::kDim},
               {d.a.is_null() ? "-" : text(d.a), same ? Tone::kDim : Tone::kPlain},
               {d.b.is_null() ? "-" : text(d.b), same ? Tone::kDim : Tone::kPlain}});
  }
  return table.text(style, terminal_width(1));
}

Result<int> diff_runs(Console& console, const std::string& a, const std::string& b) {
  ROOST_TRY(const RunDiff diff, compare(console, a, b));
  if (console.json()) return console.print_json(as_json(diff));
  const Style style = console.out();
  const auto section = [&](const char* title, const std::string& text, const char* none) {
    Console::print(style(Tone::kBold, title) +
                   (text.empty() ? "  " + style(Tone::kDim, none) : "") + "\n" + text);
  };
  section("Settings", diff.spec.empty() ? "" : table_text(diff.spec, diff, false, style),
          "the same");
  Console::print("\n");
  section("Code", code_text(diff.files, style), "the same");
  Console::print("\n");
  section("Metrics", diff.metrics.empty() ? "" : table_text(diff.metrics, diff, true, style),
          "none");
  return 0;
}

}  // namespace

void register_diff(Verb& root, Console& console) {
  struct Options {
    std::string a;
    std::string b;
  };
  auto options = std::make_shared<Options>();
  root.verb("diff", "Show what differs between two runs: settings, code, metrics")
      .group(kLookGroup)
      .argument("A", options->a, "a run")
      .argument("B", options->b, "another run")
      .example("roost diff birds_1794776400 @")
      .action([&console, options] { return diff_runs(console, options->a, options->b); });
}

}  // namespace roost
