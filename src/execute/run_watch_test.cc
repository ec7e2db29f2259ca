#include "execute/run_watch.h"

#include "execute/heartbeat.h"
#include "execute/part_news.h"
#include "execute/test_execute.h"
#include "records/lease_records.h"

namespace roost {
namespace {

class RunWatchTest : public ExecuteFixture {
 protected:
  void SetUp() override {
    ExecuteFixture::SetUp();
    watch_.emplace(*execute_);
  }
  void round() {
    watch_->watch_nodes();
    watch_->watch_deadlines();
    watch_->watch_stopping();
    watch_->watch_parts();
    watch_->watch_canceled();
    watch_->end_round();
  }
  void serve_and_watch(Micros time, const std::function<void()>& meanwhile = [] {}) {
    serve(time, [&] {
      meanwhile();
      round();
    });
  }
  Run running(std::int64_t max_retries = 0, const std::vector<std::string>& nodes = {"n1"}) {
    Run run = started(add_run(max_retries, clock_.now()), nodes);
    EXPECT_TRUE(part_started(*execute_, {run.id, 1}, 0, 0));
    return reload(run);
  }
  void beat(const std::string& node, const Run& run, bool has_part = true) {
    Heartbeat said;
    said.run = run.id;
    said.attempt = run.attempt;
    said.names_parts = true;
    if (has_part) said.parts = {{run.id, run.attempt, 0}};
    EXPECT_TRUE(take_heartbeat(*execute_, node, said, [](auto&&...) { return Status(); }));
  }

  std::optional<RunWatch> watch_;
};

TEST_F(RunWatchTest, WhatALostNodeHadIsFreeOnceNothingOfItLives) {
  const Run run = running();
  write([&](Tx& tx) { return insert_lease(tx, {run.seq, 1, 0, "n1", {{"GPU-a"}, {}, 0}, {}, {}}); });
  const auto held = [&] {
    std::int64_t gpus = 0;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const Amounts amounts, held_amounts(tx));
      gpus = amounts.gpus;
      return {};
    });
    return gpus;
  };
  watch_->watch_leases();
  EXPECT_EQ(held(), 1);
  serve_and_watch(61 * kSecond);  // the node is lost
  handles_.with_processes = {"n1"};
  watch_->watch_leases();
  EXPECT_EQ(held(), 1);
  handles_.with_processes.clear();
  watch_->watch_leases();
  EXPECT_EQ(held(), 0);
}

TEST_F(RunWatchTest, ASilentNodeIsMarkedAndComesBackWithItsHeartbeat) {
  const Run run = running();
  serve_and_watch(20 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  serve_and_watch(kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kNotResponding);
  beat("n1", run);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  EXPECT_TRUE(handles_.ended.empty());
}

TEST_F(RunWatchTest, ANodeThatStaysSilentIsEndedAndLost) {
  const Run run = running();
  serve_and_watch(61 * kSecond);
  EXPECT_EQ(handles_.ended, std::vector<std::string>{"n1"});
  EXPECT_TRUE(handles_.lost["n1"].starts_with("node n1 was not heard of for"));
  EXPECT_FALSE(has_node("n1"));
  const Run lost = reload(run);
  EXPECT_EQ(lost.status, RunStatus::kFailed);
  EXPECT_EQ(lost.error["code"], "node_lost");
  EXPECT_EQ(over_, std::vector<std::int64_t>{1});
}

TEST_F(RunWatchTest, ADeadRunnerIsLostAtOnceAndTheRunIsTriedAgain) {
  const Run run = running(1);
  handles_.looks["n1"] = NodeHandles::Look::kGone;
  serve_and_watch(kSecond / 4);
  EXPECT_EQ(handles_.lost["n1"], "the runner of node n1 died");
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
}

TEST_F(RunWatchTest, OneWhoWasToldToEndCostsNoRetry) {
  const Run run = running();
  handles_.looks["n1"] = NodeHandles::Look::kGone;
  handles_.evicted = "n1";
  serve_and_watch(kSecond / 4);
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
}

TEST_F(RunWatchTest, AStepOfTheWallClockOrALongSleepEndsNobody) {
  const Run run = running();
  serve_and_watch(19 * kSecond);
  clock_.wall += 3600 * kSecond;
  round();
  clock_.pass(3600 * kSecond);
  if (serving_.tick()) nodes_.forgive_silence();
  round();
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
}

TEST_F(RunWatchTest, ANodeWhoseStartWasNotWrittenDownHasItsTime) {
  write([&](Tx& tx) -> Status {
    Node node;
    node.id = "n1";
    node.workspace = "default";
    node.compute = "gpu-cluster";
    node.started = clock_.now();
    node.enter(NodeState::kPreparing, clock_.now());
    return insert_node(tx, node, "hash");
  });
  handles_.looks["n1"] = NodeHandles::Look::kStarting;
  serve_and_watch(5 * kSecond);
  EXPECT_TRUE(handles_.lost.empty());
  serve_and_watch(kSecond);
  EXPECT_TRUE(handles_.lost.contains("n1"));
  EXPECT_TRUE(has_node("n1")) << "for whoever looks";
  serve_and_watch(6 * kSecond);
  EXPECT_FALSE(has_node("n1"));
}

TEST_F(RunWatchTest, ATimeLimitCancelsTheRunWithItsReason) {
  Run run = add_run(0, clock_.now());
  run.spec["max_run_duration_seconds"] = 30;
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto rows, tx.run("UPDATE run SET spec_json = ? WHERE seq = ?", to_text(run.spec), run.seq));
    EXPECT_EQ(rows, 1);
    return {};
  });
  run = started(reload(run), {"n1"});
  ASSERT_TRUE(part_started(*execute_, {run.id, 1}, 0, 0));
  const auto meanwhile = [&] { beat("n1", run); };
  serve_and_watch(29 * kSecond, meanwhile);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  serve_and_watch(2 * kSecond, meanwhile);
  const Run late = reload(run);
  EXPECT_EQ(late.status, RunStatus::kCancelRequested);
  EXPECT_EQ(late.error["code"], "time_limit");
}

TEST_F(RunWatchTest, WhatANodeDoesNotHaveIsGivenUp) {
  const Run run = running(1);
  serve_and_watch(20 * kSecond, [&] { beat("n1", run, false); });
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  serve_and_watch(kSecond, [&] { beat("n1", run, false); });
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
}

TEST_F(RunWatchTest, ACanceledRunEndsHoweverItHangs) {
  const Run run = running();
  write([&](Tx& tx) -> Status {
    ROOST_TRY(Run open, find_run(tx, run.id));
    return placement_->cancel(tx, open, "canceled by a test", clock_.now(), nullptr);
  });
  const auto meanwhile = [&] { beat("n1", run); };
  serve_and_watch(70 * kSecond, meanwhile);
  EXPECT_EQ(reload(run).status, RunStatus::kCancelRequested);
  serve_and_watch(kSecond, meanwhile);
  EXPECT_EQ(reload(run).status, RunStatus::kCanceled);
}

TEST_F(RunWatchTest, AnotherNodeThatDoesNotEndItsShareOfAFailedRunIsLost) {
  const Run run = running(0, {"n1", "n2"});
  ASSERT_TRUE(part_failed(*execute_, {run.id, 1}, 0, 0));
  serve_and_watch(8 * kSecond, [&] { beat("n1", run); });
  EXPECT_TRUE(handles_.lost.contains("n2"));
  EXPECT_FALSE(handles_.lost.contains("n1"));
}

}  // namespace
}  // namespace roost
