#include "execute/attempts.h"

#include "records/test_database.h"

namespace roost {
namespace {

class Attempts : public DatabaseFixture {
 protected:
  Run start(Run run, const std::string& node_id) {
    std::vector<Node> nodes = {add_node(node_id)};
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(start_attempt(tx, run, nodes, "token of " + node_id, 10));
      return mark_started(tx, run, 0, 11);
    });
    return reload(run);
  }
};

TEST_F(Attempts, ALostNodeFailsTheRunWithTheReason) {
  Run run = start(add_run(), "a");
  EXPECT_EQ(run.status, RunStatus::kRunning);
  write([&](Tx& tx) { return give_up_attempt(tx, run, "the runner died", 20); });
  run = reload(run);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_EQ(run.error["code"], "node_lost");
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto events, run_events(tx, run.seq));
    EXPECT_EQ(events[events.size() - 2].to, "NotResponding");
    return {};
  });
}

TEST_F(Attempts, ARetryQueuesAgainAndTheOldAttemptIsShutOut) {
  Run run = start(add_run(1), "a");
  write([&](Tx& tx) { return give_up_attempt(tx, run, "the runner died", 20); });
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
  run = start(reload(run), "b");
  EXPECT_EQ(run.attempt, 2);
  write([&](Tx& tx) -> Status {
    EXPECT_FALSE(check_attempt_open(tx, run, 1));
    EXPECT_TRUE(check_attempt_open(tx, run, 2));
    return give_up_attempt(tx, run, "the runner died again", 30);
  });
  EXPECT_EQ(reload(run).status, RunStatus::kFailed);
}

Json reported(const char* message) {
  return {{"code", "reported_failure"}, {"message", message}, {"last_lines", Json::array()}, {"node", nullptr}};
}

TEST_F(Attempts, FailEndsARunThatWaitsAtOnce) {
  Run run = add_run();
  write([&](Tx& tx) { return request_fail(tx, run, reported("not needed"), false, 20); });
  run = reload(run);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_EQ(run.error["message"], "not needed");
  write([&](Tx& tx) -> Status {
    EXPECT_FALSE(request_fail(tx, run, reported("again"), false, 21));
    EXPECT_FALSE(request_cancel(tx, run, "late", 21));
    return {};
  });
}

TEST_F(Attempts, WhoeverDecidesTheEndFirstDecidesIt) {
  Run failed = start(add_run(1), "a");
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(request_fail(tx, failed, reported("bad data"), false, 20));
    EXPECT_EQ(failed.status, RunStatus::kCancelRequested) << "its processes have to end";
    return request_cancel(tx, failed, "by somebody", 21);
  });
  write([&](Tx& tx) { return give_up_attempt(tx, failed, "the runner died", 22); });
  failed = reload(failed);
  EXPECT_EQ(failed.status, RunStatus::kFailed) << "and is not tried again";
  EXPECT_EQ(failed.error["message"], "bad data");

  Run canceled = start(add_run(), "b");
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(request_cancel(tx, canceled, "by somebody", 20));
    return request_fail(tx, canceled, reported("bad data"), false, 21);
  });
  write([&](Tx& tx) { return give_up_attempt(tx, canceled, "the runner died", 22); });
  EXPECT_EQ(reload(canceled).status, RunStatus::kCanceled);
}

TEST_F(Attempts, AScriptThatFailsItsOwnRunGoesOnButIsNotTriedAgain) {
  Run run = start(add_run(1), "a");
  write([&](Tx& tx) { return request_fail(tx, run, reported("bad data"), true, 20); });
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  write([&](Tx& tx) { return request_cancel(tx, run, "by somebody", 21); });
  EXPECT_EQ(reload(run).status, RunStatus::kCancelRequested);
  write([&](Tx& tx) { return give_up_attempt(tx, run, "the runner died", 22); });
  EXPECT_EQ(reload(run).status, RunStatus::kFailed);
}

TEST_F(Attempts, ANodeThatDiesBeforeTheRunBeganCostsNoRetry) {
  Run run = add_run();
  for (int i = 1; i <= 5; ++i) {
    std::vector<Node> nodes = {add_node("n" + std::to_string(i))};
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(start_attempt(tx, run, nodes, "token " + nodes[0].id, 10));
      return give_up_attempt(tx, run, "the runner died", 20);
    });
    run = reload(run);
    EXPECT_EQ(run.status, i < 5 ? RunStatus::kQueued : RunStatus::kFailed) << "not for ever, though";
  }
}

TEST_F(Attempts, CancelIsAtOnceInTheQueueAndARequestWhileRunning) {
  Run waiting = add_run();
  write([&](Tx& tx) { return request_cancel(tx, waiting, "canceled by me", 5); });
  EXPECT_EQ(reload(waiting).status, RunStatus::kCanceled);
  EXPECT_FALSE(db_->write([&](Tx& tx) { return request_cancel(tx, waiting, "again", 6); }));

  Run running = start(add_run(), "a");
  write([&](Tx& tx) { return request_cancel(tx, running, "canceled by me", 5); });
  EXPECT_EQ(reload(running).status, RunStatus::kCancelRequested);
}

TEST_F(Attempts, ASilentNodeThatComesBackGoesOn) {
  Run run = start(add_run(), "a");
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(mark_silent(tx, run, "no heartbeat", 20));
    EXPECT_EQ(run.status, RunStatus::kNotResponding);
    return mark_heard(tx, run, 25);
  });
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
}

TEST_F(Attempts, AnOrderHasTheVariablesOfAzureML) {
  Run run = start(add_run(), "a");
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const Json order, make_order(tx, run, 0, "secret", 100));
    EXPECT_EQ(order["command"], "true");
    const Json& variables = order["variables"];
    EXPECT_EQ(variables["AZUREML_RUN_ID"], run.id);
    EXPECT_EQ(variables["AZUREML_ARM_PROJECT_NAME"], "birds");
    EXPECT_EQ(variables["AZUREML_RUN_TOKEN"], "secret");
    return {};
  });
}

TEST_F(Attempts, AGangGoesWhenItsLastNodeIsReady) {
  Run run = add_run();
  std::vector<Node> nodes = {add_node("a"), add_node("b")};
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(start_attempt(tx, run, nodes, "token", 10));
    EXPECT_FALSE(mark_ready(tx, run, 1, {{"name", "b"}}).value());
    ROOST_TRY(auto parts, attempt_parts(tx, run.seq, run.attempt));
    EXPECT_TRUE(facts_of_all(parts).is_null());
    EXPECT_TRUE(mark_ready(tx, run, 0, {{"name", "a"}}).value());
    ROOST_TRY(parts, attempt_parts(tx, run.seq, run.attempt));
    EXPECT_EQ(facts_of_all(parts), (Json{{{"name", "a"}}, {{"name", "b"}}}));
    return {};
  });
}

TEST_F(Attempts, ALostNodeStopsTheOthersOnce) {
  Run run = add_run();
  std::vector<Node> nodes = {add_node("a"), add_node("b")};
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(start_attempt(tx, run, nodes, "token", 10));
    ROOST_TRY(auto parts, open_parts(tx, "b"));
    EXPECT_EQ(parts.size(), 1U);
    ROOST_CHECK(lose_part(tx, parts.front(), "the runner died", 50));
    ROOST_TRY(const auto rest, open_parts(tx, "b"));
    EXPECT_TRUE(rest.empty());
    ROOST_TRY(const auto open, open_attempt(tx, run.seq));
    EXPECT_EQ(open->stopping, 50);
    EXPECT_FALSE(stop_attempt(tx, run.seq, run.attempt, 60).value());
    ROOST_TRY(const auto stopping, stopping_attempts(tx));
    EXPECT_EQ(stopping.size(), 1U);
    return {};
  });
}

}  // namespace
}  // namespace roost
