#include "records/waiting_records.h"

#include "records/attempt_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

class WaitingRecords : public DatabaseFixture {
 protected:
  void move(Run& run, RunStatus to, Micros at) {
    write([&](Tx& tx) { return move_run(tx, run, to, "", at); });
  }
  // A run with its own spec and priority, in state Queued.
  Run add(Json spec, std::int64_t priority = 0) {
    Run run = add_run();
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(tx.run("UPDATE run SET spec_json = ?, priority = ? WHERE seq = ?", to_text(spec), priority,
                         run.seq));
      return {};
    });
    return run;
  }
  std::vector<QueueEntry> entries(std::string_view compute = "") {
    std::vector<QueueEntry> found;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(found, queue_entries(tx, "default", compute));
      return {};
    });
    return found;
  }
};

TEST_F(WaitingRecords, FirstToStartInFrontAndNoneThatEnded) {
  const Run low = add({{"command", "true"}});
  const Run high = add({{"script", "train.py"}, {"node_count", 3}, {"max_run_duration_seconds", 60}}, 5);
  Run over = add({{"command", "true"}}, 9);
  move(over, RunStatus::kCanceled, 2000);
  const auto found = entries("gpu-cluster");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].id, high.id);
  EXPECT_EQ(found[0].nodes, 3);
  EXPECT_EQ(found[0].program, "train.py");
  EXPECT_EQ(found[0].limit, 60 * kSecond);
  EXPECT_FALSE(found[0].has_nodes_since);
  EXPECT_EQ(found[1].id, low.id);
  EXPECT_FALSE(found[1].limit);
  EXPECT_TRUE(entries("other").empty());
}

TEST_F(WaitingRecords, TellsWhoHasNodes) {
  const Run run = add({{"command", "true"}});
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("UPDATE run SET attempt = 1 WHERE seq = ?", run.seq));
    return insert_attempt(tx, {run.seq, 1, "a", true, 3000, {}, {}}, {"a"}, "hash", 3000);
  });
  EXPECT_EQ(entries()[0].has_nodes_since, 3000);
  write([&](Tx& tx) { return close_attempt(tx, run.seq, 1); });
  EXPECT_FALSE(entries()[0].has_nodes_since);
}

TEST_F(WaitingRecords, ArgumentsDoNotMakeAnotherProgram) {
  add({{"command", "python train.py --lr 0.1"}});
  add({{"command", "python train.py"}});
  add({{"command", "sleep 5"}});
  const auto found = entries();
  EXPECT_EQ(found[0].program, "python train.py");
  EXPECT_EQ(found[1].program, "python train.py");
  EXPECT_EQ(found[2].program, "sleep 5");
}

TEST_F(WaitingRecords, ARetriedRunWaitsSinceItsNodeWasLost) {
  Run run = add({{"command", "true"}});
  const auto since = [&] {
    std::optional<Micros> at;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(at, waiting_since(tx, run.seq));
      return {};
    });
    return at;
  };
  EXPECT_EQ(since(), 1000);
  move(run, RunStatus::kProvisioning, 2000);
  move(run, RunStatus::kQueued, 3000);
  EXPECT_EQ(since(), 1000) << "it went on waiting";
  move(run, RunStatus::kRunning, 4000);
  move(run, RunStatus::kNotResponding, 5000);
  move(run, RunStatus::kQueued, 6000);
  EXPECT_EQ(since(), 6000);
}

TEST_F(WaitingRecords, EarlierRunsAreThoseThatEndedWellAtOnce) {
  for (int i = 1; i <= 3; ++i) {
    Run run = add({{"script", "train.py"}});
    run.started = 1000;
    run.attempt = i == 3 ? 2 : 1;
    move(run, RunStatus::kRunning, 1000);
    move(run, RunStatus::kFinalizing, 1500);
    move(run, i == 2 ? RunStatus::kFailed : RunStatus::kCompleted, 1000 + i * 1000);
  }
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto runs, earlier_runs(tx, experiment_.row, 10));
    EXPECT_EQ(runs.size(), 1U);
    if (runs.size() == 1) {
      EXPECT_EQ(runs[0].took, 1000);
      EXPECT_EQ(runs[0].program, "train.py");
    }
    return {};
  });
}

}  // namespace
}  // namespace roost
