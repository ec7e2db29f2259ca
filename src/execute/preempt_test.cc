#include "execute/preempt.h"

#include "execute/attempts.h"
#include "records/test_database.h"

namespace roost {
namespace {

class PreemptTest : public DatabaseFixture {
 protected:
  // A run that has the nodes n<attempt>-0 and -1.
  void start(Run& run, bool running = true) {
    run = reload(run);
    const std::string name = "n" + std::to_string(run.attempt + 1);
    std::vector<Node> nodes = {add_node(name + "-0"), add_node(name + "-1")};
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(start_attempt(tx, run, nodes, "token " + name, 2000));
      return running ? mark_started(tx, run, 0, 3000) : Status();
    });
  }
  Preempted preempt(const std::string& id) {
    Preempted preempted;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(Node node, find_node(tx, id));
      return preempt_node(tx, node, "somebody needs it", 4000, preempted);
    });
    return preempted;
  }
  void requeue(Run& run) {
    run = reload(run);
    write([&](Tx& tx) { return requeue_preempted(tx, run, "somebody needs it", 5000); });
    run = reload(run);
  }
  NodeState state_of(const std::string& id) {
    NodeState state{};
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const Node node, find_node(tx, id));
      state = node.state;
      return {};
    });
    return state;
  }
};

TEST_F(PreemptTest, StopsTheRunOnAllItsNodesAndTakesOne) {
  Run run = add_run();
  start(run);
  const Preempted preempted = preempt("n1-1");
  EXPECT_EQ(preempted.nodes, std::vector<std::string>{"n1-1"});
  EXPECT_EQ(preempted.told, (std::vector<std::string>{"n1-0", "n1-1"}));
  EXPECT_EQ(preempted.runs, std::vector<std::string>{run.id});
  EXPECT_EQ(state_of("n1-1"), NodeState::kPreempted);
  EXPECT_EQ(state_of("n1-0"), NodeState::kRunning) << "idle again once the run has been stopped";
  EXPECT_TRUE(preempt("n1-1").nodes.empty()) << "it is going already";
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto taken, preempted_attempts(tx, run.seq));
    EXPECT_EQ(taken, std::vector<std::int64_t>{1});
    return mark_exited(tx, run, 4500);
  });
  EXPECT_EQ(reload(run).status, RunStatus::kRunning) << "the work is not over, only its time on these nodes";
}

TEST_F(PreemptTest, TheHistoryShowsItAndNoRetryIsCounted) {
  Run run = add_run(1);
  for (int i = 1; i <= 7; ++i) {
    start(run);
    preempt("n" + std::to_string(i) + "-0");
    requeue(run);
    ASSERT_EQ(run.status, RunStatus::kQueued);
  }
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto events, run_events(tx, run.seq));
    EXPECT_EQ(events.back().reason, "preempted: somebody needs it; it waits for nodes again");
    return {};
  });
  start(run);
  write([&](Tx& tx) { return give_up_attempt(tx, run, "node n8-0 died", 6000); });
  EXPECT_EQ(reload(run).status, RunStatus::kQueued) << "its one retry is still there";
  start(run);
  write([&](Tx& tx) { return give_up_attempt(tx, run, "node n9-0 died", 7000); });
  EXPECT_EQ(reload(run).status, RunStatus::kFailed);
}

TEST_F(PreemptTest, ARunThatHadNotBegunIsShownToo) {
  Run run = add_run();
  start(run, false);
  preempt("n1-0");
  requeue(run);
  EXPECT_EQ(run.status, RunStatus::kQueued);
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto events, run_events(tx, run.seq));
    EXPECT_TRUE(events.back().reason.starts_with("preempted")) << events.back().reason;
    EXPECT_FALSE(check_attempt_open(tx, run, 1));
    return {};
  });
}

TEST_F(PreemptTest, ARunThatIsEndingAnywayIsLeftAlone) {
  Run run = add_run();
  start(run);
  write([&](Tx& tx) { return mark_exited(tx, run, 3500); });
  EXPECT_TRUE(preempt("n1-0").runs.empty());
  EXPECT_EQ(state_of("n1-0"), NodeState::kPreempted);
}

}  // namespace
}  // namespace roost
