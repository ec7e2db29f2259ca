#include "runner/attempt_processes.h"

#include <poll.h>
#include <signal.h>

#include "runner/attempt_meet.h"
#include "runner/test_attempt.h"

namespace roost {
namespace {

// Processes that end when a test says so.
struct FakeProcesses {
  std::vector<ProcessEnd> ends;  // to be taken
  int left = 1;                  // how many still run
  int terminated = 0;
  int killed = 0;
  bool isolated = true;
  std::vector<LaunchSpec> launched;

  void end(int index, int exit_code, Micros at) {
    ends.push_back({index, exit_code, std::nullopt, 0, at});
    --left;
  }
  Launch launch() {
    return [this](const LaunchSpec& spec) -> Result<std::unique_ptr<RunningProcesses>> {
      launched.push_back(spec);
      return std::make_unique<Handle>(*this);
    };
  }
  struct Handle final : RunningProcesses {
    explicit Handle(FakeProcesses& given) : all(given) {}
    bool is_isolated() const override { return all.isolated; }
    int supervisor() const override { return 4711; }
    int report_fd() const override { return -1; }
    void terminate() override { ++all.terminated; }
    void kill() override {
      ++all.killed;
      all.left = 0;
    }
    std::vector<ProcessEnd> take_ends() override { return std::exchange(all.ends, {}); }
    bool is_over() override { return all.left == 0; }
    FakeProcesses& all;
  };
};

class AttemptProcessesTest : public AttemptTest {
 protected:
  void make(const Json& more, Launch launch) {
    attempt_ = std::make_unique<Attempt>(settings_, clock_, order(more));
    ASSERT_TRUE(make_folders(attempt_->code()));
    ASSERT_TRUE(meet_nodes(*attempt_).value());
    processes_ = std::make_unique<AttemptProcesses>(*attempt_, std::move(launch));
  }
  bool go_on() { return processes_->go_on(outcome_); }

  FakeProcesses fake_;
  std::unique_ptr<Attempt> attempt_;
  std::unique_ptr<AttemptProcesses> processes_;
  Outcome outcome_;
};

TEST_F(AttemptProcessesTest, RealOnesEndAsTheyEnd) {
  make({{"command", "echo so it is; exit 3"}}, launch_processes);
  ASSERT_TRUE(processes_->start(outcome_)) << outcome_.message;
  EXPECT_GT(attempt_->supervisor, 0);
  while (go_on()) {
    pollfd wait{processes_->report_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&wait, 1, 60'000), 1);
  }
  processes_->conclude(outcome_);
  EXPECT_EQ(attempt_->supervisor, 0);
  EXPECT_EQ(attempt_->ranks[0].end->exit_code, 3);
  EXPECT_FALSE(attempt_->ranks[0].stopped);
  EXPECT_EQ(read_file(attempt_->ranks[0].log).value(), "so it is\n");
  EXPECT_EQ(outcome_.outcome, "exited");
}

TEST_F(AttemptProcessesTest, IfOneOfTwoFailsTheOtherIsStopped) {
  fake_.left = 2;
  make({{"gang", gang(1, 2)}}, fake_.launch());
  ASSERT_TRUE(processes_->start(outcome_));
  ASSERT_TRUE(go_on());
  fake_.end(1, 1, clock_.now());
  ASSERT_TRUE(go_on());
  EXPECT_EQ(attempt_->failure, (Json{{"node_rank", 0}, {"rank", 1}}));
  EXPECT_EQ(fake_.terminated, 0) << "it has its last words";
  clock_.pass(StopPlan::kLastWords);
  ASSERT_TRUE(go_on());
  EXPECT_EQ(fake_.terminated, 1);
  EXPECT_EQ(fake_.killed, 0);
  EXPECT_EQ(processes_->next_kill(), clock_.steady() + 5 * kSecond);
  clock_.pass(5 * kSecond);
  EXPECT_FALSE(go_on()) << "killed";
  processes_->conclude(outcome_);
  EXPECT_EQ(attempt_->ranks[0].end->signal, SIGKILL) << "it went with its supervisor";
  EXPECT_TRUE(attempt_->ranks[0].stopped);
  EXPECT_FALSE(attempt_->ranks[1].stopped);
}

TEST_F(AttemptProcessesTest, WhoEndsAfterACancelWasStopped) {
  make({}, fake_.launch());
  ASSERT_TRUE(processes_->start(outcome_));
  attempt_->orders.cancel(30);
  ASSERT_TRUE(go_on());
  EXPECT_EQ(fake_.terminated, 1);
  clock_.pass(kSecond);
  fake_.end(0, 143, clock_.now());
  EXPECT_FALSE(go_on());
  processes_->conclude(outcome_);
  EXPECT_TRUE(attempt_->ranks[0].stopped);
  EXPECT_TRUE(attempt_->failure.is_null());
  EXPECT_EQ(outcome_.exited, clock_.steady());
  EXPECT_EQ(attempt_->started, clock_.steady() - kSecond);
}

TEST_F(AttemptProcessesTest, WhatNobodyWantsIsKilled) {
  make({}, fake_.launch());
  ASSERT_TRUE(processes_->start(outcome_));
  attempt_->orders.abandon();
  EXPECT_FALSE(go_on());
  EXPECT_EQ(fake_.killed, 1);
  EXPECT_EQ(fake_.terminated, 0);
}

TEST_F(AttemptProcessesTest, ANodeThatIsTakenAwayStartsNothing) {
  settings_.is_evicted = [] { return true; };
  make({}, fake_.launch());
  EXPECT_FALSE(processes_->start(outcome_));
  EXPECT_TRUE(fake_.launched.empty());
  EXPECT_TRUE(attempt_->ranks.empty());
  EXPECT_EQ(outcome_.outcome, "exited");
  EXPECT_EQ(outcome_.exited, clock_.steady());
  EXPECT_FALSE(attempt_->started);
}

TEST_F(AttemptProcessesTest, WhatCannotBeStartedSaysWhy) {
  make({}, [](const LaunchSpec&) -> Result<std::unique_ptr<RunningProcesses>> {
    return fail(ErrorCode::kFailedPrecondition, "no way");
  });
  EXPECT_FALSE(processes_->start(outcome_));
  EXPECT_EQ(outcome_.outcome + ": " + outcome_.message, "launch_failed: no way");

  outcome_ = {};
  make({{"python", "/no/python"}, {"script", "x.py"}, {"command", nullptr}}, fake_.launch());
  ASSERT_TRUE(processes_->start(outcome_));
  fake_.ends.push_back({0, std::nullopt, std::nullopt, ENOENT, clock_.now()});
  fake_.left = 0;
  EXPECT_FALSE(go_on());
  EXPECT_EQ(outcome_.outcome, "launch_failed");
  EXPECT_NE(outcome_.message.find("/no/python"), std::string::npos) << outcome_.message;
}

TEST_F(AttemptProcessesTest, WithoutANamespaceSomeMayBeLeft) {
  fake_.isolated = false;
  make({}, fake_.launch());
  ASSERT_TRUE(processes_->start(outcome_));
  EXPECT_TRUE(attempt_->may_processes_be_left);
}

}  // namespace
}  // namespace roost
