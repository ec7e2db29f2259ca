#include "execute/finish_part.h"

#include "domain/rank_plan.h"
#include "execute/node_orders.h"
#include "execute/part_news.h"
#include "execute/test_execute.h"

namespace roost {
namespace {

class FinishPart : public ExecuteFixture {
 protected:
  Run running(const std::vector<std::string>& nodes, std::int64_t max_retries = 0) {
    Run run = add_run(max_retries, clock_.now());
    if (nodes.size() > 1) {
      run.spec["node_count"] = nodes.size();
      run.spec["distributed"] = {{"kind", "pytorch"}, {"node_count", nodes.size()}, {"process_count", nodes.size()}};
      write([&](Tx& tx) -> Status {
        ROOST_CHECK(tx.run("UPDATE run SET spec_json = ? WHERE seq = ?", to_text(run.spec), run.seq));
        return {};
      });
    }
    run = started(run, nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_TRUE(part_started(*execute_, {run.id, 1}, static_cast<int>(i), 0));
    }
    return reload(run);
  }
  FinishReport report(int node_rank, std::int64_t exit_code, bool stopped = false) {
    FinishReport said;
    said.outcome = "exited";
    said.node_rank = node_rank;
    RankEnd rank;
    rank.rank = node_rank;
    rank.exit_code = exit_code;
    rank.stopped = stopped;
    rank.ended = clock_.now();
    said.ranks.push_back(rank);
    return said;
  }
  Result<Run> finish(const Run& run, const FinishReport& said) {
    return finish_part(*execute_, {run.id, 1}, said, [](Tx&, const Run&) { return Status(); });
  }
  // When the run came to each state since it was given a node.
  std::map<std::string, Micros> times(const Run& run) {
    std::map<std::string, Micros> found;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto events, run_events(tx, run.seq));
      for (const auto& event : events) {
        const bool came_before = event.to == "Starting" || event.to == "Preparing" || event.to == "Queued";
        if (!came_before) found[event.to] = event.at;
      }
      return {};
    });
    return found;
  }
  NodeState state(const std::string& id) {
    NodeState found = NodeState::kUnusable;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const Node node, find_node(tx, id));
      found = node.state;
      return {};
    });
    return found;
  }
};

TEST_F(FinishPart, TheNodeIsIdleAgainOrLeavesIfItWasGivenForOneRun) {
  const Run run = running({"n1"});
  ASSERT_TRUE(finish(run, report(0, 0)));
  EXPECT_EQ(reload(run).status, RunStatus::kCompleted);
  EXPECT_EQ(state("n1"), NodeState::kIdle);
  EXPECT_TRUE(Wake::Waiter(wake_).take()) << "somebody may wait for it";
  handles_.for_one_run = true;
  const Run other = running({"n2"});
  ASSERT_TRUE(finish(other, report(0, 0)));
  EXPECT_EQ(state("n2"), NodeState::kLeaving);
}

TEST_F(FinishPart, ARunStartedAndEndedWhenItDidAndNotWhenThatWasHeard) {
  Run run = started(add_run(0, clock_.now()), {"n1"});
  const Micros given = clock_.now();
  clock_.pass(kSecond);
  ASSERT_TRUE(part_started(*execute_, {run.id, 1}, 0, 25'000));
  EXPECT_EQ(reload(run).started, given + kSecond - 25'000);
  clock_.pass(10 * kSecond);
  const Micros heard = clock_.now();
  ASSERT_TRUE(part_exited(*execute_, {run.id, 1}, 0, 3 * kSecond));
  clock_.pass(kSecond);
  FinishReport said = report(0, 0);
  said.started_ago = 12 * kSecond;
  said.exited_ago = 4 * kSecond;
  ASSERT_TRUE(finish(run, said));
  EXPECT_EQ(times(run), (std::map<std::string, Micros>{{"Running", given + kSecond - 25'000},
                                                       {"Finalizing", heard - 3 * kSecond},
                                                       {"Completed", heard + kSecond}}));
}

TEST_F(FinishPart, OneThatToldOfItsStartWithItsEndTookAsLongAsItDid) {
  const Run run = started(add_run(0, clock_.now()), {"n1"});
  const Micros given = clock_.now();
  clock_.pass(kSecond);
  FinishReport said = report(0, 1);
  said.started_ago = 20'000;
  said.exited_ago = 2'000;
  ASSERT_TRUE(finish(run, said));
  EXPECT_EQ(times(run), (std::map<std::string, Micros>{{"Running", given + kSecond - 20'000},
                                                       {"Finalizing", given + kSecond - 2'000},
                                                       {"Failed", given + kSecond}}));
}

// Whatever a runner says: not before the node had it, nor after it was told; and not before what came before.
TEST_F(FinishPart, WhatCannotBeIsMovedToWhereItCan) {
  const Run run = started(add_run(0, clock_.now()), {"n1"});
  const Micros given = clock_.now();
  clock_.pass(kSecond);
  ASSERT_TRUE(part_started(*execute_, {run.id, 1}, 0, 1000 * kSecond));
  EXPECT_EQ(reload(run).started, given);
  ASSERT_TRUE(part_exited(*execute_, {run.id, 1}, 0, 1000 * kSecond));
  FinishReport said = report(0, 0);
  said.exited_ago = 1000 * kSecond;
  ASSERT_TRUE(finish(run, said));
  EXPECT_EQ(times(run),
            (std::map<std::string, Micros>{{"Running", given}, {"Finalizing", given}, {"Completed", given + kSecond}}));

  // The server's clock was set back since the node had it.
  const Run other = started(add_run(0, clock_.now()), {"n2"});
  clock_.wall = clock_.wall - 3600 * kSecond;
  ASSERT_TRUE(part_started(*execute_, {other.id, 1}, 0, 5));
  EXPECT_EQ(reload(other).started, clock_.now());
}

TEST_F(FinishPart, ATimeLimitCountsFromTheStart) {
  Run run = add_run(0, clock_.now());
  run.spec["max_run_duration_seconds"] = 60;
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("UPDATE run SET spec_json = ? WHERE seq = ?", to_text(run.spec), run.seq));
    return {};
  });
  run = started(run, {"n1"});
  clock_.pass(kSecond);
  ASSERT_TRUE(part_started(*execute_, {run.id, 1}, 0, kSecond / 2));
  EXPECT_EQ(reload(run).deadline, clock_.now() - kSecond / 2 + 60 * kSecond);
}

TEST_F(FinishPart, TheRunEndsWithTheLastNodeAndTheRankThatFailedFirstIsToBlame) {
  const Run run = running({"n1", "n2"});
  logs_[rank_log(gang_of_spec(run.spec), 1)] = "it was me";
  ASSERT_TRUE(finish(run, report(1, 7)));
  EXPECT_EQ(reload(run).status, RunStatus::kRunning) << "n1 has still to report";
  NodeOrders orders(*execute_, "n1");
  std::string lines;
  orders.next(lines);
  EXPECT_NE(lines.find("\"stop\""), std::string::npos) << "the others have to end";
  clock_.pass(kSecond);
  ASSERT_TRUE(finish(run, report(0, 0, true)));
  const Run failed = reload(run);
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_EQ(failed.error["rank"], 1);
  EXPECT_EQ(failed.error["node"], "n2");
  EXPECT_EQ(failed.error["last_lines"], Json::array({"it was me"}));
}

TEST_F(FinishPart, WhoWasToldToEndGoesOnElsewhere) {
  const Run run = running({"n1"});
  FinishReport said = report(0, 143, true);
  said.outcome = kEvicted;
  said.message = "node n1 was told to end";
  ASSERT_TRUE(finish(run, said));
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
  EXPECT_EQ(state("n1"), NodeState::kLeaving);
}

TEST_F(FinishPart, OneThatIsRefusedChangesNothing) {
  const Run run = running({"n1"});
  const auto refused = finish_part(*execute_, {run.id, 1}, report(0, 0), [](Tx&, const Run&) {
    return Status(fail(ErrorCode::kDataMismatch, "send the rest"));
  });
  EXPECT_EQ(refused.error().code, ErrorCode::kDataMismatch);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  EXPECT_EQ(state("n1"), NodeState::kRunning);
}

TEST_F(FinishPart, AReportThatIsSentAgainIsTooLate) {
  const Run run = running({"n1"});
  ASSERT_TRUE(finish(run, report(0, 0)));
  EXPECT_EQ(finish(run, report(0, 1)).error().code, ErrorCode::kGivenUp);
  EXPECT_EQ(reload(run).status, RunStatus::kCompleted);
}

}  // namespace
}  // namespace roost
