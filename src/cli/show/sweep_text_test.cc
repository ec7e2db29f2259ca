#include "cli/show/sweep_text.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cli/show/sweep_estimate.h"

namespace roost {
namespace {

const Style kPlain(false);
constexpr Micros kNow = 1'794'776'400'000'000;  // 2026-11-15T21:00:00Z

Json trial(int number, const std::string& status, Json best, Micros started, Micros ended, const std::string& reason = "") {
  return {{"number", number},
          {"run", fmt::format("HD_1_{}", number)},
          {"parameters", {{"--lr", 0.1 / (number + 1)}, {"batch", 16}}},
          {"status", status},
          {"origin", number == 2 ? "hand" : "random"},
          {"best", best},
          {"last", best},
          {"intervals", 3},
          {"state", reason.empty() ? "" : "stopped"},
          {"reason", reason},
          {"started_at", started ? Json(format_time(started)) : Json()},
          {"ended_at", ended ? Json(format_time(ended)) : Json()}};
}

Json sample_trials() {
  return {trial(0, "Completed", 0.7, kNow - 100 * kSecond, kNow - 80 * kSecond),
          trial(1, "Canceled", 0.5, kNow - 80 * kSecond, kNow - 70 * kSecond, "stopped at interval 3: 0.5 is below the cut"),
          trial(2, "Completed", 0.9, kNow - 70 * kSecond, kNow - 40 * kSecond),
          trial(3, "Running", nullptr, kNow - 5 * kSecond, 0)};
}

Json sample_sweep() {
  return {{"id", "HD_1"},
          {"experiment", "birds"},
          {"status", "Running"},
          {"phase", "running"},
          {"message", ""},
          {"created_at", format_time(kNow - 120 * kSecond)},
          {"ended_at", nullptr},
          {"created_by", "anna"},
          {"space_size", nullptr},
          {"counts",
           {{"waiting", 0}, {"running", 1}, {"completed", 2}, {"stopped", 1}, {"failed", 0}, {"canceled", 0}, {"paused", 0}}},
          {"spec",
           {{"metric", {{"name", "val_acc"}, {"goal", "maximize"}}},
            {"space", {{{"name", "--lr"}}, {{"name", "batch"}}}},
            {"max_total_runs", 8},
            {"max_concurrent_runs", 2},
            {"max_duration_minutes", 10080}}},
          {"metrics_seen", Json::array()},
          {"best", {{"trial", 2}, {"run", "HD_1_2"}, {"value", 0.9}, {"parameters", {{"batch", 16}, {"--lr", 0.05}}}}}};
}

TEST(SweepText, TableMarksTheBestAndSaysWhyOthersStopped) {
  EXPECT_EQ(trial_table(sample_sweep(), sample_trials(), kNow, kPlain, 0),
            "   #  STATUS     val_acc  LOGGED    TIME        lr  batch  MADE BY  RUN     WHY\n"
            "   0  Completed      0.7       3  20.0 s       0.1     16           HD_1_0\n"
            "   1  Stopped        0.5       3  10.0 s      0.05     16           HD_1_1  stopped at interval 3: 0.5 is below "
            "the cut\n"
            "*  2  Completed      0.9       3  30.0 s  0.033333     16  hand     HD_1_2\n"
            "   3  Running                  3   5.0 s     0.025     16           HD_1_3\n");
}

TEST(SweepText, OfOneThatRunsItIsSaidWhenItIsLookedAtNext) {
  Json trials = sample_trials();
  trials[3]["next_check"] = 9;
  const std::string table = trial_table(sample_sweep(), trials, kNow, kPlain, 200);
  EXPECT_NE(table.find("next check at interval 9"), std::string::npos) << table;
  EXPECT_EQ(table.find("next check"), table.rfind("next check")) << table;
}

TEST(SweepText, ReasonsStandBelowWhereThereIsNoRoomBesideThem) {
  EXPECT_EQ(trial_table(sample_sweep(), sample_trials(), kNow, kPlain, 64),
            "   #  STATUS     val_acc  LOGGED    TIME      lr  batch  MADE BY\n"
            "   0  Completed      0.7       3  20.0 s     0.1     16\n"
            "   1  Stopped        0.5       3  10.0 s    0.05     16\n"
            "      stopped at interval 3: 0.5 is below the cut\n"
            "*  2  Completed      0.9       3  30.0 s  0.0333     16  hand\n"
            "   3  Running                  3   5.0 s   0.025     16\n");
  EXPECT_NE(trial_table(sample_sweep(), sample_trials(), kNow, kPlain, 120).find("16           stopped at interval 3"),
            std::string::npos);
}

TEST(SweepText, PausedTrialsAreNotStopped) {
  Json paused = trial(1, "Canceled", 0.5, 1, 2, "paused at interval 3: 0.5 is not among the best 1 of 3");
  paused["state"] = "paused";
  EXPECT_EQ(trial_status(paused), "Paused");
  paused["ended_at"] = nullptr;
  EXPECT_EQ(trial_table(sample_sweep(), Json::array({paused}), kNow, kPlain, 64).find(" s "), std::string::npos)
      << "while it waits nothing is counted";
  EXPECT_EQ(trial_status(trial(1, "Canceled", 0.5, 1, 2)), "Canceled");
}

TEST(SweepText, HeadTellsTheBestAndTheEnd) {
  EXPECT_EQ(sweep_head(sample_sweep(), sample_trials(), kNow, kPlain),
            "HD_1  Running\n"
            "  experiment  birds\n"
            "  trials      3 of 8 trials ended, 1 running, 1 stopped early\n"
            "  ends        likely in 55 s\n"
            "  best        val_acc 0.9 by trial 2: lr=0.05 batch=16\n"
            "  its run     HD_1_2\n");
  Json said = sample_sweep();
  said["message"] = "waits for nodes of the compute gpu-cluster, which is busy";
  EXPECT_NE(sweep_head(said, sample_trials(), kNow, kPlain, 50)
                .find("  doing       waits for nodes of the compute\n              gpu-cluster, which is busy\n"),
            std::string::npos);
  said["message"] = "3 of at most 8 children ended, 1 running";
  EXPECT_EQ(sweep_head(said, sample_trials(), kNow, kPlain), sweep_head(sample_sweep(), sample_trials(), kNow, kPlain));
  Json nothing = sample_sweep();
  nothing["best"] = nullptr;
  nothing["metrics_seen"] = {"acc", "loss"};
  EXPECT_NE(sweep_head(nothing, sample_trials(), kNow, kPlain).find("no trial logged \"val_acc\" so far; they logged acc, loss"),
            std::string::npos);
}

TEST(SweepText, ListOfSweeps) {
  EXPECT_EQ(sweep_table(Json::array({sample_sweep()}), kNow).text(kPlain, 0),
            "SWEEP  EXPERIMENT  STATUS   TRIALS  METRIC   BEST  CREATED    BY\n"
            "HD_1   birds       Running     3/8  val_acc   0.9  2 min ago  anna\n");
}

TEST(SweepText, TheBestComeFirstForEitherGoal) {
  const auto numbers = [](const Json& trials) {
    std::string text;
    for (const Json& one : trials) text += to_text(one["number"]);
    return text;
  };
  Json sweep = sample_sweep();
  EXPECT_EQ(numbers(best_trials(sweep, sample_trials(), 10)), "2013");
  sweep["spec"]["metric"]["goal"] = "minimize";
  EXPECT_EQ(numbers(best_trials(sweep, sample_trials(), 2)), "10");
  EXPECT_EQ(numbers(trials_that_fit(sample_sweep(), sample_trials(), 2)), "23");
  EXPECT_EQ(numbers(trials_that_fit(sample_sweep(), sample_trials(), 9)), "0123");
}

// Ended trials took 20 s on average, one has run for 5 s, four are to come, two at a time: 15 s and then
// 20 + 20 s on one node, 20 + 20 s at once on the other.
TEST(SweepEstimate, GoesByDurationsAndConcurrency) {
  const Json trials = sample_trials();
  Json sweep = sample_sweep();
  EXPECT_EQ(estimated_end(sweep, trials, kNow), kNow + 55 * kSecond);
  sweep["spec"]["max_concurrent_runs"] = nullptr;
  EXPECT_EQ(estimated_end(sweep, trials, kNow), kNow + 20 * kSecond);
  sweep["counts"]["waiting"] = 4;  // but there are no nodes for them
  EXPECT_EQ(estimated_end(sweep, trials, kNow), kNow + 95 * kSecond);
}

TEST(SweepEstimate, KnowsWhatEndsASweepEarlier) {
  const Json trials = sample_trials();
  Json sweep = sample_sweep();
  sweep["space_size"] = 5;
  EXPECT_EQ(planned_trials(sweep), 5);
  EXPECT_EQ(estimated_end(sweep, trials, kNow), kNow + 20 * kSecond);
  sweep["phase"] = "stopping";
  EXPECT_EQ(estimated_end(sweep, trials, kNow), kNow + 15 * kSecond);
  sweep["phase"] = "paused";
  EXPECT_EQ(estimated_end(sweep, trials, kNow), std::nullopt);
  sweep = sample_sweep();
  sweep["spec"]["max_duration_minutes"] = 2;
  EXPECT_EQ(estimated_end(sweep, trials, kNow), kNow);
  EXPECT_EQ(estimated_end(sample_sweep(), Json::array(), kNow), std::nullopt);
}

}  // namespace
}  // namespace roost
