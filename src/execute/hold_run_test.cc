#include "execute/hold_run.h"

#include "execute/attempts.h"
#include "execute/preempt.h"
#include "records/queue_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

class HoldRunTest : public DatabaseFixture {
 protected:
  void start(Run& run) {
    std::vector<Node> nodes = {add_node("n0"), add_node("n1")};
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(start_attempt(tx, run, nodes, "token", 2000));
      return mark_started(tx, run, 0, 3000);
    });
  }
  Preempted hold(Run& run) {
    Preempted told;
    write([&](Tx& tx) { return hold_run(tx, run, "paused at interval 3", 4000, told); });
    return told;
  }
  void release(Run& run) {
    write([&](Tx& tx) { return release_run(tx, run, "it goes on", 6000); });
  }
  bool waits(const Run& run) {
    bool found = false;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto queue, read_queue(tx));
      for (const auto& each : queue) found |= each.run.seq == run.seq;
      return {};
    });
    return found;
  }
};

TEST_F(HoldRunTest, ItLeavesItsNodesAndWaitsUntilItIsReleased) {
  Run run = add_run();
  start(run);
  EXPECT_EQ(hold(run).told, (std::vector<std::string>{"n0", "n1"}));
  EXPECT_TRUE(hold(run).runs.empty()) << "it is held already";
  run = reload(run);
  EXPECT_TRUE(run.held);
  EXPECT_EQ(run.status, RunStatus::kRunning) << "until its nodes have reported";
  write([&](Tx& tx) { return requeue_preempted(tx, run, "paused at interval 3", 5000); });
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
  EXPECT_FALSE(waits(run));
  release(run);
  EXPECT_FALSE(reload(run).held);
  EXPECT_TRUE(waits(run));
}

TEST_F(HoldRunTest, OneThatWaitsIsOnlyHeld) {
  Run run = add_run();
  ASSERT_TRUE(waits(run));
  EXPECT_TRUE(hold(run).told.empty());
  EXPECT_FALSE(waits(run));
  release(run);
  EXPECT_TRUE(waits(run));
}

TEST_F(HoldRunTest, OneThatEndsIsLeftToEnd) {
  Run run = add_run();
  start(run);
  write([&](Tx& tx) { return mark_exited(tx, run, 3500); });
  EXPECT_TRUE(hold(run).runs.empty());
  EXPECT_FALSE(reload(run).held);
}

TEST_F(HoldRunTest, OneThatIsHeldCanBeCanceled) {
  Run run = add_run();
  hold(run);
  write([&](Tx& tx) { return request_cancel(tx, run, "not wanted", 5000); });
  EXPECT_EQ(reload(run).status, RunStatus::kCanceled);
  release(run);
  EXPECT_EQ(reload(run).status, RunStatus::kCanceled);
}

}  // namespace
}  // namespace roost
