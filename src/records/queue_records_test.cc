#include "records/queue_records.h"

#include "records/attempt_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

class QueueRecords : public DatabaseFixture {
 protected:
  std::vector<std::int64_t> waiting() {
    std::vector<std::int64_t> runs;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto all, read_queue(tx));
      for (const auto& waiting : all) runs.push_back(waiting.run.seq);
      return {};
    });
    return runs;
  }
  std::int64_t newest() {
    std::int64_t event = 0;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(event, last_event(tx));
      return {};
    });
    return event;
  }
  std::vector<QueueChange> changes(std::int64_t since) {
    std::vector<QueueChange> all;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(all, queue_changes(tx, since));
      return {};
    });
    return all;
  }
  void place(const Run& run, std::int64_t attempt = 1) {
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(tx.run("UPDATE run SET attempt = ? WHERE seq = ?", attempt, run.seq));
      return insert_attempt(tx, {run.seq, attempt, "n1", true, 2000, {}, {}}, {"n1", "n2"}, run.id, 2000);
    });
  }
};

TEST_F(QueueRecords, HasWhatTheSchedulerNeeds) {
  Run run = add_run();
  write([&](Tx& tx) -> Status {
    run.seq = 0;
    run.id = "wide";
    run.priority = 7;
    run.created_by = "ann";
    run.spec = {{"node_count", 3}, {"max_run_duration_seconds", 60}};
    ROOST_CHECK(insert_run(tx, run));
    ROOST_CHECK(move_run(tx, run, RunStatus::kPreparing, "", 1));
    return move_run(tx, run, RunStatus::kQueued, "", 1);
  });
  std::vector<WaitingRun> all;
  write([&](Tx& tx) -> Status {
    ROOST_TRY(all, read_queue(tx));
    ROOST_TRY(const auto wanted, nodes_wanted(tx, "default", "gpu-cluster", 10));
    EXPECT_EQ(wanted, 4);
    ROOST_TRY(const auto active, count_active(tx, "default", "gpu-cluster"));
    EXPECT_EQ(active, 2);
    return {};
  });
  ASSERT_EQ(all.size(), 2U);
  const QueuedRun& wide = all[0].run.nodes == 3 ? all[0].run : all[1].run;
  EXPECT_EQ(std::tuple(wide.priority, wide.nodes, wide.limit, wide.user, wide.queued),
            std::tuple(7, 3, 60 * kSecond, "ann", 1000));
}

TEST_F(QueueRecords, ARunWithNodesDoesNotWait) {
  const Run run = add_run();
  EXPECT_EQ(waiting(), std::vector<std::int64_t>{run.seq});
  place(run);
  EXPECT_TRUE(waiting().empty());
  std::vector<PlacedRun> placed;
  write([&](Tx& tx) -> Status {
    ROOST_TRY(placed, placed_runs(tx));
    return {};
  });
  ASSERT_EQ(placed.size(), 1U);
  EXPECT_EQ(placed[0].run.nodes, 2);
  EXPECT_EQ(placed[0].run.started, 2000);
  EXPECT_FALSE(placed[0].run.ends);
}

TEST_F(QueueRecords, ChangesAreThoseOfRunsWithEvents) {
  Run first = add_run();
  const std::int64_t seen = newest();
  EXPECT_TRUE(changes(seen).empty());
  const Run second = add_run();
  auto found = changes(seen);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run, second.seq);
  EXPECT_TRUE(found[0].waits);
  write([&](Tx& tx) { return move_run(tx, first, RunStatus::kCanceled, "", 5); });
  found = changes(newest() - 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run, first.seq);
  EXPECT_FALSE(found[0].waits);
}

TEST_F(QueueRecords, UseIsKnownAfterItEnded) {
  place(add_run());
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("UPDATE attempt_part SET ended = 5000, state = 'finished' WHERE node = 'n1'"));
    ROOST_TRY(const auto uses, node_uses(tx, 4000));
    EXPECT_EQ(uses.size(), 2U);
    ROOST_TRY(const auto later, node_uses(tx, 6000));
    EXPECT_EQ(later.size(), 1U) << "the other node is still in use";
    return {};
  });
}

}  // namespace
}  // namespace roost
