#include "runner/attempt_report.h"

#include <signal.h>

#include "runner/attempt_meet.h"
#include "runner/test_attempt.h"

namespace roost {
namespace {

class AttemptReportTest : public AttemptTest {
 protected:
  void make() {
    attempt_ = std::make_unique<Attempt>(settings_, clock_, order());
    ASSERT_TRUE(make_folders(attempt_->code() / "outputs"));
    ASSERT_TRUE(meet_nodes(*attempt_).value());
    attempt_->ranks[0].end = ProcessEnd{0, 0, std::nullopt, 0, 77};
    stream_ = std::make_unique<AttemptStream>(*attempt_);
    keep_ = std::make_unique<AttemptKeep>(*attempt_);
    attempt_->started = clock_.steady();
    clock_.pass(kSecond);
    outcome_.exited = clock_.steady();
    clock_.pass(88);
  }
  void hand_in() { AttemptReport(*attempt_, *stream_, *keep_).hand_in(outcome_); }

  std::unique_ptr<Attempt> attempt_;
  std::unique_ptr<AttemptStream> stream_;
  std::unique_ptr<AttemptKeep> keep_;
  Outcome outcome_;
};

TEST_F(AttemptReportTest, SaysHowEachEndedAndWhatThereIs) {
  make();
  write(attempt_->ranks[0].log, "hello\n");
  hand_in();
  EXPECT_EQ(told(), std::vector<std::string>{"finished"}) << "without outputs there is nothing between the end and it";
  const Json report = calls("finished").front();
  EXPECT_EQ(report["outcome"], "exited");
  EXPECT_EQ(report["exited_ago_us"], 88);
  EXPECT_EQ(report["started_ago_us"], kSecond + 88);
  EXPECT_EQ(report["ranks"][0]["exit_code"], 0);
  EXPECT_EQ(report["ranks"][0]["ended_at_us"], 77);
  EXPECT_EQ(report["streams"], (Json{{"azureml-logs/70_driver_log.txt", 6}}));
  EXPECT_EQ(stream("azureml-logs/70_driver_log.txt"), "hello\n");
}

TEST_F(AttemptReportTest, TimesAreToldSoThatAnotherCalendarOnThisNodeChangesNothing) {
  make();
  attempt_->started.reset();
  write(attempt_->code() / "outputs/a", "a");
  clock_.wall = 1;
  hand_in();
  EXPECT_EQ(calls("exited").front()["exited_ago_us"], 88);
  EXPECT_EQ(calls("finished").front()["exited_ago_us"], 88);
  EXPECT_TRUE(calls("finished").front()["started_ago_us"].is_null()) << "no process began";
}

TEST_F(AttemptReportTest, OutputsComeBetweenTheEndAndTheReport) {
  make();
  write(attempt_->code() / "outputs/a", "a");
  tell("exited", {ErrorCode::kInternal});
  hand_in();
  EXPECT_EQ(told(), (std::vector<std::string>{"exited", "exited", "finished"}));
  EXPECT_EQ(calls("finished").front()["outputs"][0]["path"], "outputs/a");
  EXPECT_TRUE(has_blob("a"));
}

TEST_F(AttemptReportTest, IsSentUntilItIsTaken) {
  make();
  tell("finished", {ErrorCode::kInternal, ErrorCode::kUnavailable, ErrorCode::kNotFound, ErrorCode::kInvalidArgument});
  hand_in();
  EXPECT_EQ(calls("finished").size(), 5U);
  EXPECT_EQ(calls("finished").back()["outcome"], "exited");
}

TEST_F(AttemptReportTest, WhatTheServerLacksIsSentAgain) {
  make();
  write(attempt_->code() / "outputs/a", "a");
  tell("finished", {ErrorCode::kDataMismatch, ErrorCode::kFailedPrecondition});
  hand_in();
  EXPECT_EQ(calls("finished").size(), 3U);
  EXPECT_GE(calls("streams").size(), 1U) << "it was asked how far it is";
}

TEST_F(AttemptReportTest, OneThatIsRefusedForGoodEndsTheRunWithTheReason) {
  make();
  write(attempt_->code() / "outputs/a", "a");
  tell("finished", std::deque<ErrorCode>(5, ErrorCode::kInvalidArgument));
  hand_in();
  const auto reports = calls("finished");
  ASSERT_EQ(reports.size(), 6U);
  EXPECT_EQ(reports.back(), (Json{{"outcome", "report_refused"},
                                  {"message", "the server refused the report of the run's end: so it was told"},
                                  {"node_rank", 0}}));
  EXPECT_EQ(calls("outputs").size(), 1U) << "what it made is kept";
}

TEST_F(AttemptReportTest, GivenUpIsTheEnd) {
  make();
  tell("finished", {ErrorCode::kGivenUp});
  hand_in();
  EXPECT_EQ(calls("finished").size(), 1U);

  make();
  write(attempt_->code() / "outputs/a", "a");
  tell("exited", {ErrorCode::kGivenUp});
  hand_in();
  EXPECT_EQ(calls("finished").size(), 1U) << "none was added";
  EXPECT_FALSE(has_blob("a"));
}

TEST_F(AttemptReportTest, WhoWasToldToEndBecauseTheNodeGoesWasEvicted) {
  settings_.is_evicted = [] { return true; };
  make();
  attempt_->ranks[0].end = ProcessEnd{0, std::nullopt, SIGTERM, 0, 77};
  hand_in();
  const Json report = calls("finished").front();
  EXPECT_EQ(report["outcome"], "evicted");
  EXPECT_EQ(report["message"], "node here was told to end");
  EXPECT_EQ(report["ranks"][0]["stopped"], true);
}

TEST_F(AttemptReportTest, WhoEndedByItselfWasNotEvicted) {
  settings_.is_evicted = [] { return true; };
  make();
  hand_in();
  EXPECT_EQ(calls("finished").front()["outcome"], "exited");
}

TEST_F(AttemptReportTest, OnAJoinedNodeThatGoesOnlyTheServerCanLearnWhy) {
  settings_.is_evicted = [] { return true; };
  settings_.joined = true;
  make();
  write(attempt_->code() / "outputs/a", "a");
  hand_in();
  EXPECT_EQ(told(), std::vector<std::string>{"outputs"});
}

TEST_F(AttemptReportTest, LogsThatFoundNoRoomAreNamed) {
  make();
  is_full_ = true;
  write(attempt_->ranks[0].log, "hello\n");
  attempt_->orders.cancel(0);
  hand_in();
  const Json report = calls("finished").front();
  EXPECT_NE(to_text(report["notices"]).find("no room"), std::string::npos) << to_text(report);
}

}  // namespace
}  // namespace roost
