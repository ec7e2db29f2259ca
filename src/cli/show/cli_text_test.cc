#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/text.h"
#include "cli/show/compute_text.h"
#include "cli/show/csv.h"
#include "cli/show/metric_text.h"
#include "cli/show/plot.h"
#include "cli/show/progress_bar.h"
#include "cli/show/run_diff.h"
#include "cli/show/run_page.h"
#include "cli/show/run_summary.h"
#include "cli/show/run_table.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/text_diff.h"
#include "cli/show/text_width.h"
#include "cli/show/timeline.h"
#include "cli/show/times.h"
#include "cli/work/log_stream.h"
#include "cli/work/system_metrics.h"

namespace roost {
namespace {

const Style kPlain(false);
constexpr Micros kNow = 1'794'776'400'000'000;  // 2026-11-15T21:00:00Z

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TextWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(text_width("abc"), 3);
  EXPECT_EQ(text_width("h\u00e9"), 2);
  EXPECT_EQ(text_width("\u9e21"), 2);      // a Chinese character
  EXPECT_EQ(text_width("e\u0301"), 1);     // a combining accent
  EXPECT_EQ(text_width("\U0001F414"), 2);  // a chicken
  EXPECT_EQ(text_width("\xff"), 1);
  EXPECT_EQ(clip_text("turkeys", 5), "turk…");
  EXPECT_EQ(clip_text("\u9e21\u9e21\u9e21", 5), "\u9e21\u9e21…");
  EXPECT_EQ(clip_text("ab", 2), "ab");
  EXPECT_EQ(pad_text("\u9e21", 4) + "|", "\u9e21  |");
  EXPECT_EQ(pad_text("7", 3, true), "  7");
}

TEST(TextWidth, WrapsAtBlanks) {
  EXPECT_EQ(wrap_text("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap_text("a\nb", 7), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(wrap_text("incomprehensible", 4), (std::vector<std::string>{"incomprehensible"}));
}

TEST(TextTable, LinesUpAndLeavesOutEmptyColumns) {
  TextTable table({{"RUN"}, {"SIZE", true}, {"NOTE"}, {"TAGS"}});
  table.add({"a", "10 B", "", "x"});
  table.add({"\u9e21\u9e21", "1 kB", "", ""});
  EXPECT_EQ(table.text(kPlain, 0),
            "RUN   SIZE  TAGS\n"
            "a     10 B  x\n"
            "\u9e21\u9e21  1 kB\n");
}

TEST(TextTable, ShrinksToTheTerminalAndShowsNoControlCharacters) {
  TextTable table({{"RUN"}, {"NAME", false, true}});
  table.add({"birds_1", std::string(100, 'x')});
  table.add({"birds_2", "\033[31mred\n"});
  const std::string text = table.text(kPlain, 40);
  for (const std::string& line : split(text, '\n')) EXPECT_LE(text_width(line), 40) << line;
  EXPECT_TRUE(has(text, "…"));
  EXPECT_TRUE(has(text, "\\x1b[31mred\\x0a"));
}

TEST(Style, ColoursOnlyWhenAsked) {
  EXPECT_EQ(Style(true)(Tone::kRed, "x"), "\033[31mx\033[0m");
  EXPECT_EQ(kPlain(Tone::kRed, "x"), "x");
  TextTable table({{"A"}, {"B"}});
  table.add({{"x", Tone::kRed}, "y"});
  EXPECT_EQ(table.text(Style(true), 0), "\033[2mA\033[0m  \033[2mB\033[0m\n\033[31mx\033[0m  y\n");
}

TEST(Plot, DrawsARisingLineFromCornerToCorner) {
  std::vector<PlotPoint> points;
  for (int i = 0; i < 8; ++i) points.push_back({double(i), double(i), double(i)});
  const std::string text = plot(points, 4, 2);
  EXPECT_EQ(text,
            "7 ┤  ⡠⠊\n"
            "0 ┤⡠⠊\n"
            "  └────\n"
            "   0  7\n");
}

TEST(Plot, EveryLineFitsAndOddValuesDoNotHarm) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(plot({}, 10, 3), "");
  EXPECT_EQ(plot({{0, NAN, NAN}, {1, INFINITY, INFINITY}}, 10, 3), "");
  EXPECT_FALSE(plot({{0, -huge, -huge}, {1, huge, huge}}, 10, 3).empty());
  EXPECT_FALSE(plot({{5, 1, 1}}, 10, 3).empty());
  EXPECT_FALSE(plot({{1, 2, 2}, {1, 2, 2}}, 1, 1).empty());
  std::vector<PlotPoint> range = {{0, 0, 10}, {1, 4, 6}};
  for (const std::string& line : split(plot(range, 30, 5), '\n')) EXPECT_LE(text_width(line), 34);
}

TEST(Plot, SparklineSpansTheRange) {
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({}, 8), "");
  EXPECT_EQ(text_width(sparkline(std::vector<double>(1000, 1.0), 8)), 8);
}

TEST(Plot, ShortNumbers) {
  EXPECT_EQ(short_number(12), "12");
  EXPECT_EQ(short_number(0.03125), "0.03125");
  EXPECT_EQ(short_number(1.0 / 3), "0.33333");
  EXPECT_EQ(short_number(1.5e-7), "1.5e-07");
  EXPECT_EQ(short_number(NAN), "NaN");
}

TEST(Times, AgoReadsWell) {
  EXPECT_EQ(time_ago(kNow, kNow), "just now");
  EXPECT_EQ(time_ago(kNow + kSecond, kNow), "just now");  // clocks differ
  EXPECT_EQ(time_ago(kNow - 42 * kSecond, kNow), "42 s ago");
  EXPECT_EQ(time_ago(kNow - 200 * kSecond, kNow), "3 min ago");
  EXPECT_EQ(time_ago(kNow - 7200 * kSecond, kNow), "2 h ago");
  EXPECT_EQ(time_ago(kNow - 86400 * kSecond, kNow), "1 day ago");
  EXPECT_EQ(time_ago(kNow - 40 * 86400 * kSecond, kNow), "2026-10-06");
}

TEST(Times, DurationsAndMoments) {
  EXPECT_EQ(parse_duration("90", "x").value(), 90);
  EXPECT_EQ(parse_duration("2h", "x").value(), 7200);
  EXPECT_EQ(parse_duration("1h30m", "x").value(), 5400);
  EXPECT_EQ(parse_duration("30d", "x").value(), 30 * 86400);
  EXPECT_EQ(parse_duration("1h 5s", "x").value(), 3605);
  for (const char* bad : {"", "h", "2x", "2h30", "-5", "1.5h", "99999999999999999999d"}) {
    EXPECT_FALSE(parse_duration(bad, "x")) << bad;
  }
  EXPECT_EQ(parse_moment("2h", kNow, "x").value(), kNow - 7200 * kSecond);
  EXPECT_EQ(parse_moment("2026-11-15T21:00:00Z", 0, "x").value(), kNow);
  EXPECT_FALSE(parse_moment("soon", kNow, "--since"));
}

TEST(ProgressBar, OneLineWithRateAndTimeLeft) {
  EXPECT_EQ(progress_line("Uploading", 50'000'000, 100'000'000, 5, 100, kPlain),
            "Uploading  ████████████████████░░░░░░░░░░░░░░░░░░░░   50 %  50 MB of 100 MB  10 MB/s  "
            "5.0 s left");
  for (const int width : {10, 30, 60, 200}) {
    EXPECT_LE(text_width(progress_line("Uploading", 1, 3, 1, width, kPlain)), width);
  }
  EXPECT_TRUE(has(progress_line("Uploading", 0, 0, 0, 100, kPlain), "100 %"));
}

Json event(const char* to, int second) {
  return {{"to", to}, {"at", format_time(kNow + second * kSecond)}};
}

TEST(Timeline, BarsFollowEachOther) {
  const Json events = {event("Queued", 0), event("Provisioning", 1), event("Running", 2),
                       event("Completed", 4)};
  const auto stages = stages_of(events, kNow + 100 * kSecond);
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(timeline(stages, 12 + 5 + 4 + 8, kPlain),
            "Queued        1.0 s  ██\n"
            "Provisioning  1.0 s    ██\n"
            "Running       2.0 s      ████\n");
  // One that still runs lasts until now.
  EXPECT_EQ(stages_of(Json::array({event("Running", 0)}), kNow + kSecond).at(0).end,
            kNow + kSecond);
  EXPECT_EQ(timeline({}, 80, kPlain), "");
  // A run that was tried again has one line for each state all the same.
  const Json again = {event("Queued", 0), event("Running", 2), event("NotResponding", 4), event("Queued", 5),
                      event("Running", 6), event("Failed", 8)};
  EXPECT_EQ(timeline(stages_of(again, kNow), 13 + 5 + 4 + 8, kPlain),
            "Queued         3.0 s  ██   █\n"
            "Running        4.0 s    ██  ██\n"
            "NotResponding  1.0 s      █\n");
  // A stage of no length is still seen, and none falls off the end.
  EXPECT_TRUE(has(timeline({{"A", 0, 10}, {"B", 10, 10}}, 30, kPlain), "B"));
}

Json sample_run() {
  return {
      {"id", "birds_1794776390_1a2b3c4d"},
      {"workspace", "default"},
      {"experiment", "birds"},
      {"display_name", "first try"},
      {"status", "Failed"},
      {"compute", "gpu-cluster"},
      {"created_at", format_time(kNow - 12 * kSecond)},
      {"started_at", format_time(kNow - 10 * kSecond)},
      {"ended_at", format_time(kNow)},
      {"attempt", 1},
      {"max_retries", 0},
      {"priority", 0},
      {"tags", {{"lr", "0.1"}, {"best", ""}}},
      {"spec", {{"script", "train.py"}, {"arguments", {"--data", "my data", "--out", "$HOME"}}}},
      {"environment", {{"python", "/usr/bin/python3"}}},
      {"git", {{"branch", "main"}, {"commit", std::string(40, 'a')}, {"dirty", true}}},
      {"exit_code", 3},
      {"signal", nullptr},
      {"error",
       {{"code", "ScriptFailed"},
        {"message", "the script ended with exit code 3"},
        {"last_lines", {"Traceback", "ValueError: \033[31mx"}},
        {"node", "node-1"}}},
      {"notices", {"this machine has no GPU"}}};
}

TEST(RunText, CommandTagsAndOutcome) {
  const Json run = sample_run();
  EXPECT_EQ(spec_command(run["spec"]), "train.py --data 'my data' --out $HOME");
  EXPECT_EQ(spec_command({{"command", "python x.py | tee y"}}), "python x.py | tee y");
  EXPECT_EQ(tags_text(run["tags"]), "best lr=0.1");
  EXPECT_EQ(run_outcome(run, kNow), "Failed after 10.0 s with exit code 3");
  Json killed = run;
  killed["signal"] = 9;
  killed["exit_code"] = nullptr;
  EXPECT_EQ(run_outcome(killed, kNow), "Failed after 10.0 s by SIGKILL");
}

TEST(RunText, ExitCodeIsTheScripts) {
  Json run = sample_run();
  EXPECT_EQ(run_exit_code(run), 3);
  run["signal"] = 9;
  EXPECT_EQ(run_exit_code(run), 137);
  run["signal"] = nullptr;
  run["exit_code"] = nullptr;
  EXPECT_EQ(run_exit_code(run), kEndedOtherwise);
  run["exit_code"] = 0;
  EXPECT_EQ(run_exit_code(run), kEndedOtherwise);  // it failed although the script did not
  run["status"] = "Completed";
  EXPECT_EQ(run_exit_code(run), 0);
  run["exit_code"] = 256;
  EXPECT_EQ(run_exit_code(run), kEndedOtherwise);
}

TEST(RunPage, ShowsEverythingSafely) {
  const std::string page =
      run_page({sample_run(), {event("Running", -10), event("Failed", 0)}, nullptr, nullptr}, kNow, 100, kPlain);
  for (const char* part : {"birds_1794776390_1a2b3c4d  Failed after 10.0 s", "first try",
                           "gpu-cluster", "main  aaaaaaaaaaaa", "(changed since)",
                           "/usr/bin/python3", "Running", "ScriptFailed  on node-1", "Traceback",
                           "ValueError: \\x1b[31mx", "note: this machine has no GPU"}) {
    EXPECT_TRUE(has(page, part)) << part << "\n" << page;
  }
  EXPECT_FALSE(run_page({}, kNow, 80, kPlain).empty());
}

TEST(RunPage, ParametersThatTheCommandLineDoesNotSet) {
  Json run = sample_run();
  run["spec"] = {{"script", "train.py"}, {"arguments", {"--lr", "0.1", "--epochs", "3"}}};
  run["params"] = {{"lr", "0.1"}, {"epochs", "5"}, {"opt.name", "adam"}};
  EXPECT_EQ(logged_params(run), (Json{{"epochs", "5"}, {"opt.name", "adam"}}));
  const std::string page = run_page({run, Json::array(), nullptr, nullptr}, kNow, 100, kPlain);
  EXPECT_TRUE(has(page, "Parameters") && has(page, "opt.name  adam")) << page;
  Json other = run;
  other["params"]["opt.name"] = "sgd";
  const auto differences = spec_differences(run, other);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].name, "params.opt.name");
}

TEST(RunTable, OneLineARun) {
  const std::string text = run_table(Json::array({sample_run()}), kNow).text(kPlain, 0);
  EXPECT_TRUE(
      has(text, "birds_1794776390_1a2b3c4d  birds       Failed  12 s ago    10.0 s  gpu-cluster"))
      << text;
}

TEST(RunSummary, SaysWhyAndWhereToLook) {
  const std::string text =
      summary_text(sample_run(), Json::array({{{"name", "lr"}}}),
                   Json::array({{{"path", "outputs/m.pt"}, {"size", 2'000'000U}}}), kNow, kPlain);
  EXPECT_TRUE(has(text, "Failed after 10.0 s with exit code 3"));
  EXPECT_TRUE(has(text, "the script ended with exit code 3"));
  EXPECT_TRUE(has(text, "roost metrics birds_1794776390_1a2b3c4d  # 1 metric\n"));
  EXPECT_TRUE(has(text, "--all  # 1 file, 2.0 MB\n"));
  EXPECT_FALSE(has(summary_text(sample_run(), nullptr, nullptr, kNow, kPlain), "metrics"));
}

TEST(MetricText, CurvesFromPointsAndBuckets) {
  const Json points = {{"kind", "scalar"},
                       {"points",
                        {{{"index", 0}, {"step", nullptr}, {"value", 1.0}},
                         {{"index", 1}, {"step", nullptr}, {"value", "NaN"}},
                         {{"index", 2}, {"step", 20}, {"value", 3}},
                         {{"index", 3}, {"step", 30}, {"value", "text"}}}}};
  const auto curve = curve_of(points);
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[0].x, 0);
  EXPECT_EQ(curve[2].x, 20);
  const Json buckets = {
      {"buckets", {{{"index", 0}, {"step_first", 5}, {"min", 1}, {"max", 2}, {"mean", 1.5}}}}};
  EXPECT_EQ(curve_of(buckets).at(0).high, 2);
  EXPECT_TRUE(has(metric_text(points, 60, 4, kPlain), "┤"));
}

TEST(MetricText, RowsTablesAndConfusionMatrices) {
  const Json rows = {
      {"kind", "row"},
      {"points", {{{"value", {{"x", 1}, {"y", 2}}}}, {{"value", {{"x", 3}, {"z", "q"}}}}}}};
  EXPECT_EQ(metric_text(rows, 80, 4, kPlain), "x  y  z\n1  2\n3     q\n");
  const Json table = {{"kind", "table"}, {"points", {{{"value", {{"x", {1, 2}}, {"y", {0.5}}}}}}}};
  EXPECT_EQ(metric_text(table, 80, 4, kPlain), "x    y\n1  0.5\n2\n");
  const Json matrix = {
      {"kind", "confusion_matrix"},
      {"points",
       {{{"value",
          {{"data", {{"class_labels", {"hen", "turkey"}}, {"matrix", {{3, 1}, {0, 4}}}}}}}}}}};
  EXPECT_EQ(metric_text(matrix, 80, 4, kPlain),
            "true \\ predicted  hen  turkey\n"
            "hen                 3       1\n"
            "turkey              0       4\n");
  const Json odd = {{"kind", "confusion_matrix"}, {"points", {{{"value", "what"}}}}};
  EXPECT_EQ(metric_text(odd, 80, 4, kPlain), "\"what\"\n");
}

TEST(MetricText, TableOfMetrics) {
  const Json metrics = Json::array({{{"name", "loss"},
                                     {"kind", "scalar"},
                                     {"count", 30},
                                     {"last", 0.125},
                                     {"min", 0.1},
                                     {"max", 2.5},
                                     {"last_step", 29}}});
  EXPECT_EQ(metric_table(metrics).text(kPlain, 0),
            "METRIC  KIND    COUNT   LAST  MIN  MAX  STEP\n"
            "loss    scalar     30  0.125  0.1  2.5    29\n");
  EXPECT_TRUE(has_curve(metrics[0]));
}

TEST(SystemMetrics, SecondsSinceTheFirstSample) {
  const Json answer = {{"series",
                        {{{"node", "n1"},
                          {"name", "cpu_percent"},
                          {"points",
                           {{{"at", format_time(kNow)}, {"value", 10}},
                            {{"at", format_time(kNow + 5 * kSecond)}, {"value", 20.5}},
                            {{"at", nullptr}, {"value", 1}}}}}}}};
  const auto all = system_series(answer, "");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].seconds, (std::vector<double>{0, 5}));
  EXPECT_TRUE(system_series(answer, "other").empty());
}

TEST(ComputeText, CountsOfNodes) {
  const Json compute = {{"name", "gpu-cluster"},
                        {"vm_size", "STANDARD_NC6"},
                        {"min_nodes", 0},
                        {"max_nodes", 4},
                        {"current_node_count", 3},
                        {"node_state_counts", {{"running", 2}, {"idle", 1}, {"unusable", 0}}},
                        {"notices", {"no GPU here"}}};
  EXPECT_EQ(node_counts_text(compute), "2 running, 1 idle");
  EXPECT_TRUE(has(compute_table(Json::array({compute})).text(kPlain, 0), "3 of 0 to 4"));
  EXPECT_TRUE(has(compute_page(compute, nullptr, kNow, kPlain, 80), "note: no GPU here"));
}

TEST(Csv, QuotesOnlyWhatMust) {
  EXPECT_EQ(csv_line({"a", "b,c", "d\"e", ""}), "a,\"b,c\",\"d\"\"e\",\n");
}

TEST(LogTail, FindsTheLastLines) {
  const std::string text = "one\ntwo\nthree\n";
  EXPECT_EQ(text.substr(tail_start(text, 1)), "three\n");
  EXPECT_EQ(text.substr(tail_start(text, 2)), "two\nthree\n");
  EXPECT_EQ(tail_start(text, 9), 0U);
  EXPECT_EQ(tail_start(text, 0), text.size());
  EXPECT_EQ(std::string("a\nb").substr(tail_start("a\nb", 1)), "b");
  EXPECT_EQ(tail_start("", 3), 0U);
}

TEST(TextDiff, UnifiedHunks) {
  EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n", "x", "y"), "");
  EXPECT_EQ(unified_diff("a\nb\nc\n", "a\nB\nc\n", "x", "y"),
            "--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  EXPECT_EQ(unified_diff("", "a\n", "x", "y"), "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a", "", "x", "y"),
            "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n");
  EXPECT_TRUE(is_binary(std::string("a\0b", 3)));
  EXPECT_FALSE(is_binary("h\u00e9"));
}

TEST(TextDiff, FarApartChangesAreSeparateHunks) {
  std::string before;
  for (int i = 0; i < 40; ++i) before += "line " + std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("line 3\n"), 7, "LINE 3\n");
  after.erase(after.find("line 30\n"), 8);
  const std::string diff = unified_diff(before, after, "x", "y");
  EXPECT_TRUE(has(diff, "@@ -1,7 +1,7 @@\n")) << diff;
  EXPECT_TRUE(has(diff, "@@ -28,7 +28,6 @@\n line 27\n line 28\n line 29\n-line 30\n")) << diff;
}

TEST(TextDiff, HopelesslyDifferentTextsStillEnd) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  EXPECT_FALSE(unified_diff(before, after, "x", "y").empty());
}

}  // namespace
}  // namespace roost
