#include "endpoints/decide_endpoint.h"

#include <gtest/gtest.h>

#include "endpoints/endpoint_state.h"

namespace roost {
namespace {

// An endpoint with one deployment, its replicas, and a clock, played turn by turn.
class DecideEndpointTest : public testing::Test {
 protected:
  DecideEndpointTest() {
    endpoint_.spec.name = "birds";
    DeploymentSpec deployment;
    deployment.runtime = "onnx";
    deployment.revision = 1;
    endpoint_.spec.deployments = {deployment};
    endpoint_.spec.default_deployment = "default";
  }

  DeploymentSpec& deployment() { return endpoint_.spec.deployments.front(); }

  // Decides, and carries it out on the rows; starts come up as rows that have not said anything.
  EndpointDecision turn() {
    std::vector<ReplicaRow> open;
    for (const auto& replica : replicas_) {
      if (replica.is_open) open.push_back(replica);
    }
    EndpointDecision decision = decide_endpoint({endpoint_, open, [this](const std::string&) { return load_; },
                                                 [this](const std::string&) { return in_flight_; }, now_});
    endpoint_.progress = progress_json(decision.progress);
    for (const auto& changed : decision.save) replicas_.at(static_cast<std::size_t>(changed.run)) = changed;
    for (const auto& start : decision.start) {
      for (std::int64_t i = 0; i < start.count; ++i) add(start.deployment);
    }
    for (const auto& run : decision.end) find(run).status = RunStatus::kCanceled;
    return decision;
  }

  void add(const std::string& name) {
    ReplicaRow replica;
    replica.run = static_cast<std::int64_t>(replicas_.size());
    replica.run_id = "run_" + std::to_string(replica.run);
    replica.deployment = name;
    replica.revision = endpoint_.spec.find(name)->revision;
    replica.status = RunStatus::kQueued;
    replica.created = now_;
    replicas_.push_back(replica);
  }
  ReplicaRow& find(const std::string& run) {
    return *std::find_if(replicas_.begin(), replicas_.end(), [&](const ReplicaRow& one) { return one.run_id == run; });
  }
  void get_ready(std::size_t index) {
    ReplicaRow& replica = replicas_.at(index);
    replica.status = RunStatus::kRunning;
    replica.started = now_;
    replica.state = "ready";
    replica.port = 1000 + static_cast<std::int64_t>(index);
    replica.ready = now_;
  }
  void fail_with(std::size_t index, const std::string& message, bool has_started = true) {
    ReplicaRow& replica = replicas_.at(index);
    if (has_started) replica.started = now_;
    replica.status = RunStatus::kFailed;
    replica.message = message;
  }
  std::string state() {
    std::vector<ReplicaRow> open;
    for (const auto& replica : replicas_) {
      if (replica.is_open) open.push_back(replica);
    }
    return endpoint_state(endpoint_, open, now_).name;
  }
  DeploymentProgress progress() { return stored_progress(endpoint_.progress).deployments.at("default"); }

  EndpointRow endpoint_;
  std::vector<ReplicaRow> replicas_;
  DeploymentLoad load_;
  std::int64_t in_flight_ = 0;
  Micros now_ = 1000 * kSecond;
};

TEST_F(DecideEndpointTest, StartsAsManyAsAreAskedFor) {
  deployment().replicas = {3, 5, 70, 300};
  turn();
  EXPECT_EQ(replicas_.size(), 3U);
  turn();
  EXPECT_EQ(replicas_.size(), 3U) << "they are coming up";
  EXPECT_EQ(state(), "Transitioning");
  get_ready(0);
  turn();
  EXPECT_EQ(state(), "Healthy");
}

TEST_F(DecideEndpointTest, ReplacesOneThatDied) {
  turn();
  get_ready(0);
  turn();
  now_ += 60 * kSecond;
  fail_with(0, "");
  turn();
  EXPECT_EQ(replicas_.size(), 2U) << "at once";
  EXPECT_FALSE(replicas_[0].is_open);
  EXPECT_EQ(state(), "Unhealthy") << "until the new one is ready";
  get_ready(1);
  turn();
  EXPECT_EQ(state(), "Healthy");
  EXPECT_EQ(progress().restarts, 1);
}

TEST_F(DecideEndpointTest, GivesUpWhatNeverComesUp) {
  for (std::size_t i = 0; i < 3; ++i) {
    turn();
    ASSERT_EQ(replicas_.size(), i + 1);
    fail_with(i, "ValueError: no model");
    turn();
    now_ += 60 * kSecond;
  }
  turn();
  EXPECT_EQ(replicas_.size(), 3U);
  EXPECT_EQ(state(), "Failed");
  EXPECT_EQ(progress().code, "CrashLoopBackOff");
  EXPECT_EQ(progress().message, "ValueError: no model");
  ++deployment().revision;
  turn();
  EXPECT_EQ(replicas_.size(), 4U) << "another revision is tried";
}

TEST_F(DecideEndpointTest, AnEnvironmentThatCannotBeBuiltIsNotBuiltAgain) {
  turn();
  fail_with(0, "no such package", false);
  turn();
  EXPECT_EQ(state(), "Failed");
  EXPECT_EQ(progress().code, "EnvironmentFailed");
  EXPECT_EQ(replicas_.size(), 1U);
}

TEST_F(DecideEndpointTest, WaitsLongerTheMoreOftenItDied) {
  turn();
  get_ready(0);
  turn();
  std::vector<Micros> waits;
  for (int i = 0; i < 6; ++i) {
    fail_with(replicas_.size() - 1, "killed");
    const std::size_t before = replicas_.size();
    const Micros since = now_;
    while (replicas_.size() == before) {
      turn();
      if (replicas_.size() == before) now_ += kSecond / 10;
    }
    waits.push_back(now_ - since);
  }
  EXPECT_EQ(waits.front(), 0);
  EXPECT_TRUE(std::is_sorted(waits.begin(), waits.end()));
  EXPECT_GE(waits.back(), 4 * kSecond);
  EXPECT_EQ(state(), "Unhealthy") << "it served once, so it is never given up";
}

TEST_F(DecideEndpointTest, ANewRevisionTakesOverWhenItIsReady) {
  deployment().replicas = {2, 2, 70, 300};
  turn();
  get_ready(0);
  get_ready(1);
  turn();
  deployment().revision = 2;
  turn();
  ASSERT_EQ(replicas_.size(), 4U);
  EXPECT_FALSE(replicas_[0].retired);
  EXPECT_EQ(state(), "Transitioning");
  get_ready(2);
  turn();
  EXPECT_FALSE(replicas_[0].retired) << "one is not as many as there were";
  get_ready(3);
  turn();
  EXPECT_TRUE(replicas_[0].retired);
  EXPECT_TRUE(replicas_[1].retired);
  EXPECT_EQ(state(), "Healthy");
}

TEST_F(DecideEndpointTest, ARevisionThatFailsLeavesTheOneBefore) {
  turn();
  get_ready(0);
  turn();
  deployment().revision = 2;
  for (std::size_t i = 1; i <= 3; ++i) {
    turn();
    ASSERT_EQ(replicas_.size(), i + 1);
    fail_with(i, "SyntaxError");
    turn();
    now_ += 60 * kSecond;
  }
  turn();
  EXPECT_FALSE(replicas_[0].retired);
  EXPECT_EQ(state(), "Unhealthy");
}

TEST_F(DecideEndpointTest, ARetiredOneIsEndedWhenItHasAnswered) {
  turn();
  get_ready(0);
  turn();
  deployment().revision = 2;
  turn();
  get_ready(1);
  in_flight_ = 1;
  turn();
  ASSERT_TRUE(replicas_[0].retired);
  now_ += 10 * kSecond;
  EXPECT_TRUE(turn().end.empty()) << "a request is under way";
  replicas_[0].state = "stopping";
  EXPECT_TRUE(turn().end.empty()) << "it says that it stops, and is not done";
  in_flight_ = 0;
  EXPECT_EQ(turn().end, std::vector<std::string>{"run_0"});
}

TEST_F(DecideEndpointTest, ARetiredOneThatHangsIsEndedAfterItsTime) {
  deployment().scoring_timeout_ms = 5000;
  turn();
  get_ready(0);
  turn();
  deployment().revision = 2;
  turn();
  get_ready(1);
  in_flight_ = 1;
  turn();
  now_ += 7 * kSecond;
  EXPECT_EQ(turn().end, std::vector<std::string>{"run_0"});
}

TEST_F(DecideEndpointTest, ADeploymentThatIsGoneIsEnded) {
  turn();
  get_ready(0);
  turn();
  endpoint_.spec.deployments.clear();
  turn();
  EXPECT_TRUE(replicas_[0].retired);
  now_ += 2 * kSecond;
  EXPECT_EQ(turn().end.size(), 1U);
}

TEST_F(DecideEndpointTest, GrowsAtOnceAndShrinksAfterAMinute) {
  deployment().replicas = {1, 4, 50, 300};
  deployment().max_concurrent_requests = 1;
  turn();
  get_ready(0);
  load_ = {1, 1};
  turn();
  EXPECT_EQ(replicas_.size(), 4U) << "two requests at half use want four";
  for (std::size_t i = 1; i < 4; ++i) get_ready(i);
  load_ = {};
  turn();
  now_ += 59 * kSecond;
  turn();
  EXPECT_FALSE(replicas_[3].retired);
  now_ += 2 * kSecond;
  turn();
  EXPECT_TRUE(replicas_[3].retired);
  EXPECT_TRUE(replicas_[1].retired);
  EXPECT_FALSE(replicas_[0].retired);
}

TEST_F(DecideEndpointTest, GoesToNoneAndComesBackForARequest) {
  deployment().replicas = {0, 2, 70, 30};
  turn();
  ASSERT_EQ(replicas_.size(), 1U) << "the first one is started to see whether it can";
  get_ready(0);
  turn();
  turn();
  now_ += 31 * kSecond;
  turn();
  EXPECT_TRUE(replicas_[0].retired);
  EXPECT_EQ(state(), "Healthy");
  load_ = {0, 1};
  turn();
  EXPECT_EQ(replicas_.size(), 2U);
}

TEST_F(DecideEndpointTest, WhoWaitsForANodeIsUnschedulable) {
  turn();
  now_ += 30 * kSecond;
  EXPECT_EQ(state(), "Unschedulable");
}

}  // namespace
}  // namespace roost
