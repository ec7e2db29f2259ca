#include "schedule/estimate.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace roost {
namespace {

constexpr Micros kNow = 1'000'000 * kSecond;

RunLength median(std::int64_t seconds, int samples = 5) {
  return run_length(std::vector<Micros>(static_cast<std::size_t>(samples), seconds * kSecond), std::nullopt);
}

RunLength limit(std::int64_t seconds) { return run_length({}, seconds * kSecond); }

RunInLine waits(std::int64_t nodes = 1, RunLength length = {}, std::int64_t priority = 0) {
  RunInLine run;
  run.nodes = nodes;
  run.priority = priority;
  run.user = "ann";
  run.length = length;
  return run;
}

NodeHolder holds(std::int64_t nodes, RunLength length = {}, std::int64_t seconds_ago = 0) {
  return {nodes, "ann", kNow - seconds_ago * kSecond, length};
}

QueueView queue(std::int64_t max_nodes, std::vector<NodeHolder> holders, std::vector<RunInLine> waiting) {
  QueueView view;
  view.now = kNow;
  view.max_nodes = max_nodes;
  view.holders = std::move(holders);
  for (const auto& holder : view.holders) view.running += holder.nodes;
  view.waiting = std::move(waiting);
  std::int64_t number = 0;
  for (auto& run : view.waiting) run.run = ++number;
  return view;
}

// When each run starts, in seconds from now; -1 for nobody knows.
std::vector<std::int64_t> starts(const QueueView& view) {
  std::vector<std::int64_t> all;
  for (const auto& estimate : estimate_queue(view)) {
    all.push_back(estimate.start_at ? (*estimate.start_at - view.now) / kSecond : -1);
  }
  return all;
}

std::vector<std::string> reasons(const QueueView& view) {
  std::vector<std::string> all;
  for (const auto& estimate : estimate_queue(view)) all.push_back(estimate.reason);
  return all;
}

using Seconds = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

TEST(Estimate, LengthIsTheMedianOfEarlierRuns) {
  EXPECT_EQ(run_length({5, 1, 100}, std::nullopt).median, 5);
  EXPECT_EQ(run_length({5, 1, 100}, std::nullopt).samples, 3);
  EXPECT_FALSE(run_length({}, 7).median);
  EXPECT_EQ(run_length({}, 7).limit, 7);
}

TEST(Estimate, WhoFindsNodesStartsNowOrWhenTheyAreUp) {
  auto view = queue(3, {}, {waits(2), waits(1)});
  view.idle = 2;
  EXPECT_EQ(starts(view), (Seconds{0, 1}));
  EXPECT_EQ(reasons(view), (Words{"about to start", "starting 1 node"}));
  view.idle = 1;
  EXPECT_EQ(reasons(view), (Words{"starting 1 node", "starting 1 node"}));
  view.waiting.push_back(waits(1));
  EXPECT_EQ(reasons(view)[2], "waiting for 1 more node; 3 of 3 in use or kept for runs in front");
  const auto second = estimate_queue(view)[1];
  EXPECT_EQ(second.position, 2);
  EXPECT_EQ(second.basis, "by the time a node takes to start");
}

TEST(Estimate, ANodeThatComesUpIsThereSoonerThanANewOne) {
  auto view = queue(2, {}, {waits(1), waits(1)});
  view.node_start = 60 * kSecond;
  view.preparing = {kNow - 50 * kSecond};
  EXPECT_EQ(starts(view), (Seconds{10, 60}));
  view.preparing = {kNow - 90 * kSecond};
  EXPECT_EQ(starts(view)[0], 0) << "a node that is late may be there any moment";
}

TEST(Estimate, WaitsForTheRunsThatHaveTheNodes) {
  auto view = queue(4, {holds(1, median(100), 40), holds(3, limit(600), 100)}, {waits(1), waits(3), waits(4)});
  EXPECT_EQ(starts(view), (Seconds{60, 500, -1})) << "nothing tells when the first to start will end";
  view.waiting[0].length = median(10);
  view.waiting[1].length = median(50);
  EXPECT_EQ(starts(view), (Seconds{60, 500, 550}));
  EXPECT_EQ(reasons(view), (Words{"waiting for 1 more node; 4 of 4 in use", "behind 1 run", "behind 2 runs"}));
  const auto all = estimate_queue(view);
  EXPECT_EQ(all[0].basis, "by the median of 5 earlier runs");
  EXPECT_EQ(all[1].basis, "by time limits, at the latest");
  EXPECT_EQ(all[2].basis, "by time limits, at the latest");
}

TEST(Estimate, AGangWaitsForAllItsNodesAndNobodyPassesIt) {
  auto view = queue(4, {holds(2, median(100)), holds(1, median(200))},
                    {waits(3, median(50)), waits(1, median(5)), waits(1, median(5))});
  view.idle = 1;
  EXPECT_EQ(starts(view), (Seconds{100, 150, 150})) << "the idle node is kept for the gang";
  EXPECT_EQ(reasons(view)[0], "waiting for 2 more nodes; 3 of 4 in use");
  EXPECT_EQ(estimate_queue(view)[2].basis, "by the medians of earlier runs");
}

TEST(Estimate, StartsNeverGoBackInTheQueue) {
  QueueView view = queue(8, {holds(3, median(70)), holds(4, limit(30)), holds(1, median(900), 100)}, {});
  for (int i = 0; i < 200; ++i) view.waiting.push_back(waits(1 + (i * 7) % 8, median(1 + (i * 31) % 50)));
  const Seconds all = starts(view);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_GE(all.front(), 0);
}

TEST(Estimate, ARunBeyondItsMedianIsBoundByItsLimitOnly) {
  RunLength both = median(100);
  both.limit = 500 * kSecond;
  EXPECT_EQ(starts(queue(1, {holds(1, both, 10)}, {waits()})), Seconds{90});
  EXPECT_EQ(starts(queue(1, {holds(1, both, 200)}, {waits()})), Seconds{300});
  EXPECT_EQ(starts(queue(1, {holds(1, both, 501)}, {waits()})), Seconds{0}) << "it is being ended";
  EXPECT_EQ(starts(queue(1, {holds(1, median(100), 200)}, {waits()})), Seconds{-1});
  EXPECT_FALSE(likely_end(holds(1), kNow));
  EXPECT_EQ(likely_end(holds(1, both, 10), kNow), kNow + 90 * kSecond);
}

TEST(Estimate, PriorityIsNamed) {
  const auto view = queue(1, {holds(1)}, {waits(1, {}, 9), waits(1, {}, 9), waits(1, {}, 5), waits(1, {}, 5)});
  EXPECT_EQ(reasons(view), (Words{"waiting for 1 more node; 1 of 1 in use", "behind 1 run",
                                  "behind 2 runs of higher priority", "behind 3 runs, 2 of higher priority"}));
}

TEST(Estimate, WhoCannotStartIsToldWhyAndHoldsUpNobody) {
  auto view = queue(4, {holds(3)}, {waits(6), waits(1), waits(1)});
  view.idle = 1;
  view.waiting[2].status = RunStatus::kPreparing;
  const auto all = estimate_queue(view);
  EXPECT_EQ(all[0].reason, "the compute may have at most 4 nodes and this run wants 6");
  EXPECT_FALSE(all[0].position || all[0].start_at);
  EXPECT_EQ(all[1].position, 1);
  EXPECT_EQ(all[1].start_at, kNow);
  EXPECT_EQ(all[2].reason, "its environment is being built");
  EXPECT_FALSE(all[2].position);
  view.deleting = true;
  EXPECT_EQ(reasons(view)[1], "the compute is being removed");
}

TEST(Estimate, AUsersLimitHoldsBackThatUserOnly) {
  auto view = queue(8, {holds(2)}, {waits(1), waits(3), waits(1), waits(1)});
  view.idle = 6;
  view.max_nodes_per_user = 2;
  view.waiting[2].user = view.waiting[3].user = "bob";
  EXPECT_EQ(reasons(view), (Words{"a user may have at most 2 nodes here and ann has 2",
                                  "a user may have at most 2 nodes here and this run wants 3", "about to start",
                                  "about to start"}));
  view.waiting[3].nodes = 2;
  EXPECT_EQ(reasons(view)[3], "a user may have at most 2 nodes here and bob has runs in front");
  view.max_nodes_per_user = 0;
  view.max_runs_per_user = 1;
  EXPECT_EQ(reasons(view)[0], "a user may have at most 1 run here and ann has 1");
  EXPECT_EQ(reasons(view)[2], "about to start");
}

TEST(Estimate, ALoweredMaximumLeavesFewerNodes) {
  const auto view = queue(2, {holds(2, median(10)), holds(2, median(20))}, {waits(2)});
  EXPECT_EQ(starts(view), Seconds{20}) << "the first two that are free end";
}

TEST(Estimate, NodesWhoseRunIsNotKnownAreFreeAtNoKnownTime) {
  auto view = queue(1, {}, {waits()});
  view.running = 1;
  EXPECT_EQ(starts(view), Seconds{-1});
  EXPECT_EQ(estimate_queue(view)[0].basis, "");
}

#ifndef ROOST_SANITIZED
TEST(Estimate, IsQuickForALongQueue) {
  QueueView view = queue(1000, {}, {});
  for (int i = 0; i < 500; ++i) view.holders.push_back(holds(2, median(10 + i)));
  view.running = 1000;
  for (int i = 0; i < 10'000; ++i) {
    view.waiting.push_back(waits(1 + (i * 13) % 64, median(1 + (i * 37) % 999), 1000 - i / 5));
  }
  double best = 1e9;  // of the processor's time: other programs may be busy
  for (int i = 0; i < 5; ++i) {
    const std::clock_t before = std::clock();
    EXPECT_EQ(estimate_queue(view).size(), 10'000U);
    best = std::min(best, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  EXPECT_LT(best, 0.05);
}
#endif

}  // namespace
}  // namespace roost
