#include "execute/process_watch.h"

#include "execute/attempts.h"
#include "execute/test_execute.h"

namespace roost {
namespace {

class ProcessWatchTest : public ExecuteFixture {
 protected:
  void SetUp() override {
    ExecuteFixture::SetUp();
    watch_.emplace(*execute_);
  }
  Run interactive() {
    Run run;
    run.id = new_run_id("birds", clock_.now());
    run.workspace = "default";
    run.experiment = "birds";
    run.experiment_row = experiment_.row;
    run.type = kInteractiveType;
    run.created = clock_.now();
    run.spec = {{"interactive", true}};
    run.environment = Json::object();
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(insert_run(tx, run));
      return move_run(tx, run, RunStatus::kRunning, "", clock_.now());
    });
    return run;
  }
  RunStatus hear(Run run) {
    run = reload(run);
    EXPECT_TRUE(hear_process(*execute_, run));
    return run.status;
  }
  void pass(Micros time) {
    serve(time, [&] { watch_->watch(); });
  }

  std::optional<ProcessWatch> watch_;
};

TEST_F(ProcessWatchTest, OneThatNeverSaidItLivesIsLeftAlone) {
  const Run run = interactive();
  pass(2000 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
}

TEST_F(ProcessWatchTest, ASilentOneIsMarkedAndComesBack) {
  const Run run = interactive();
  hear(run);
  pass(60 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  pass(kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kNotResponding);
  EXPECT_EQ(hear(run), RunStatus::kRunning);
  pass(50 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
}

TEST_F(ProcessWatchTest, OneThatStaysSilentHasCrashedForGood) {
  const Run run = interactive();
  hear(run);
  pass(902 * kSecond);
  const Run crashed = reload(run);
  EXPECT_EQ(crashed.status, RunStatus::kFailed);
  EXPECT_EQ(crashed.error["code"], "crashed");
  EXPECT_EQ(crashed.error["message"].get<std::string>().find("crashed: its process has not been heard of for"), 0u);
  EXPECT_EQ(hear(run), RunStatus::kFailed);
  pass(kSecond);
  EXPECT_EQ(reload(run).error, crashed.error);
}

TEST_F(ProcessWatchTest, AServerThatStartsAgainGivesItItsFullTime) {
  const Run run = interactive();
  hear(run);
  pass(30 * kSecond);
  nodes_.forget("process/" + run.id);  // what a new server knows
  pass(50 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  pass(20 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kNotResponding);
}

TEST_F(ProcessWatchTest, OneThatHasEndedIsForgotten) {
  Run run = interactive();
  hear(run);
  write([&](Tx& tx) -> Status {
    run = *run_by_row(tx, run.seq);
    return end_interactive(tx, run, RunStatus::kCompleted, "", clock_.now());
  });
  pass(kSecond);
  bool expected = true;
  write([&](Tx& tx) -> Status {
    ROOST_TRY(expected, is_process_expected(tx, run.seq));
    return {};
  });
  EXPECT_FALSE(expected);
  pass(1000 * kSecond);
  EXPECT_EQ(reload(run).status, RunStatus::kCompleted);
}

}  // namespace
}  // namespace roost
