#include "sweeps/decide_sweep.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

const Json kSpace = Json::parse(R"([{"name": "lr", "expression": "uniform", "values": [0, 1]}])");

// A sweep whose children do what a test says. After each turn what was decided is as if it had been written down.
class DecideSweep : public ::testing::Test {
 protected:
  DecideSweep() {
    spec_.space = *parse_search_space(kSpace);
    spec_.metric = "accuracy";
    row_.max_total = 4;
    row_.max_concurrent = 2;
    row_.deadline = 1000 * kSecond;
  }

  SweepDecisions turn() {
    const SweepView view{spec_,       row_,         "HD_1",        status_, now_, trials_, suggester_, 0, rows_,
                         open_,       checkpoints_, first_failed_, first_error_, refused_};
    SweepDecisions decisions = decide_sweep(view);
    for (const auto& trial : decisions.changed) rows_[static_cast<std::size_t>(trial.number)] = trial;
    for (auto trial : decisions.drawn) {
      trial.run = trial.number + 10;
      rows_.push_back(trial);
      TrialFacts& facts = facts_.emplace_back();
      facts.run_id = "HD_1_" + std::to_string(trial.number);
      facts.status = RunStatus::kRunning;
    }
    row_.is_used_up |= decisions.used_up;
    row_.is_stopping |= decisions.stop;
    look();
    return decisions;
  }
  void look() {
    open_.clear();
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      facts_[i].trial = rows_[i];
      trials_[i].state = state_of(facts_[i]);
      if (rows_[i].is_open) open_.push_back(facts_[i]);
    }
  }
  void log(std::size_t number, double value) { trials_[number].values.push_back(value); }
  void end(std::size_t number, RunStatus status) {
    facts_[number].status = status;
    look();
  }
  // It has left its nodes.
  void rest(std::size_t number) {
    facts_[number].status = RunStatus::kQueued;
    facts_[number].is_held = true;
    look();
  }
  std::string states() {
    std::string all;
    for (const auto& trial : trials_) all += (all.empty() ? "" : " ") + std::string(trial_state_name(trial.state));
    return all;
  }

  SweepSpec spec_;
  SweepRow row_;
  RunStatus status_ = RunStatus::kRunning;
  Micros now_ = kSecond;
  std::vector<Trial> trials_;
  Suggester suggester_{SamplingSettings(), *parse_search_space(kSpace), Goal::kMaximize};
  std::vector<TrialRow> rows_;
  std::vector<TrialFacts> facts_;
  std::vector<TrialFacts> open_;
  std::set<std::int64_t> checkpoints_;
  std::string first_failed_;
  Json first_error_;
  std::string refused_;
};

TEST_F(DecideSweep, DrawsAsManyAsMayRunAndEndsWithTheLast) {
  EXPECT_EQ(turn().drawn.size(), 2U);
  EXPECT_TRUE(turn().drawn.empty()) << "both slots are taken";
  end(0, RunStatus::kCompleted);
  EXPECT_EQ(turn().drawn.size(), 1U);
  for (const std::size_t number : {1, 2}) end(number, RunStatus::kCompleted);
  EXPECT_EQ(turn().drawn.size(), 1U);
  EXPECT_FALSE(turn().end);
  end(3, RunStatus::kCompleted);
  EXPECT_EQ(turn().end, RunStatus::kCompleted);
}

TEST_F(DecideSweep, PausedAndStoppedSweepsDrawNothing) {
  row_.is_paused = true;
  EXPECT_TRUE(turn().drawn.empty());
  row_.is_paused = false;
  turn();
  row_.is_stopping = true;
  end(0, RunStatus::kCompleted);
  EXPECT_TRUE(turn().drawn.empty());
  end(1, RunStatus::kCanceled);
  EXPECT_EQ(turn().end, RunStatus::kCompleted);
}

TEST_F(DecideSweep, WhatTheTimeEndsSaysSo) {
  turn();
  now_ = row_.deadline;
  const auto decisions = turn();
  EXPECT_EQ(rows_[0].verdict, TrialVerdict::kStop);
  EXPECT_EQ(rows_[0].reason, "the sweep's time is over");
  EXPECT_FALSE(decisions.end) << "children have to end before it";
  for (const std::size_t number : {0, 1}) end(number, RunStatus::kCanceled);
  EXPECT_EQ(turn().end, RunStatus::kCompleted);
}

TEST_F(DecideSweep, FailsWhenNothingButFailuresCame) {
  row_.max_total = 50;
  first_failed_ = "HD_1_0";
  first_error_ = {{"message", "no data"}};
  std::optional<RunStatus> ended;
  for (int round = 0; round < 20 && !ended; ++round) {
    ended = turn().end;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].is_open) end(i, RunStatus::kFailed);
    }
  }
  EXPECT_EQ(ended, RunStatus::kFailed);
  EXPECT_LT(rows_.size(), 10U) << "the rest was not tried";
}

TEST_F(DecideSweep, AnEnvironmentThatCannotBeBuiltIsNotTriedAgain) {
  row_.max_total = 50;
  turn();
  first_failed_ = "HD_1_0";
  first_error_ = {{"code", "environment_failed"}, {"message", "there is no torch==99"}};
  for (const std::size_t number : {0, 1}) end(number, RunStatus::kFailed);
  const auto decisions = turn();
  EXPECT_TRUE(decisions.drawn.empty());
  EXPECT_EQ(decisions.end, RunStatus::kFailed);
  EXPECT_NE(decisions.message.find("there is no torch==99"), std::string::npos) << decisions.message;
}

TEST_F(DecideSweep, AshaPausesPromotesAndEndsTheRest) {
  spec_.policy = *parse_policy({{"type", "asha"}, {"min_intervals", 1}, {"max_intervals", 4}, {"eta", 2}, {"pause", true}});
  turn();
  log(0, 0.5);
  turn();
  EXPECT_EQ(rows_[0].verdict, TrialVerdict::kPause);
  EXPECT_EQ(trials_[0].state, TrialState::kPaused);
  EXPECT_EQ(rows_.size(), 2U) << "it has its slot until it has left its nodes";
  rest(0);
  turn();
  EXPECT_EQ(rows_.size(), 3U);
  log(1, 0.9);
  turn();
  rest(1);
  turn();
  EXPECT_EQ(rows_[1].verdict, TrialVerdict::kNone) << "it is the better half of two";
  EXPECT_EQ(rows_[1].judged, 1);
  facts_[1].is_held = false;
  facts_[1].status = RunStatus::kRunning;
  // The others log less and less; in the end the best has its whole training and the others are stopped.
  std::optional<RunStatus> ended;
  for (int round = 0; round < 60 && !ended; ++round) {
    look();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].is_open) continue;
      if (rows_[i].verdict == TrialVerdict::kStop) end(i, RunStatus::kCanceled);
      if (rows_[i].verdict == TrialVerdict::kPause) rest(i);
      if (rows_[i].verdict != TrialVerdict::kNone) continue;
      facts_[i].is_held = false;
      facts_[i].status = trials_[i].values.size() < 4 ? RunStatus::kRunning : RunStatus::kCompleted;
      if (trials_[i].values.size() < 4) log(i, i == 1 ? 0.9 : 0.5 - 0.1 * static_cast<double>(i));
    }
    look();
    ended = turn().end;
  }
  EXPECT_EQ(ended, RunStatus::kCompleted);
  EXPECT_EQ(rows_.size(), 4U);
  EXPECT_EQ(trials_[1].state, TrialState::kCompleted) << states();
  EXPECT_EQ(trials_[3].state, TrialState::kStopped) << states();
  EXPECT_NE(rows_[3].reason.find("interval 1"), std::string::npos) << rows_[3].reason;
}

TEST_F(DecideSweep, ThePopulationHandsOverOnlyWhatWasKept) {
  spec_.policy = *parse_policy({{"type", "pbt"}, {"interval", 1}, {"quantile", 0.25}});
  row_.max_total = 6;
  row_.max_concurrent = 4;
  turn();
  ASSERT_EQ(rows_.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) log(i, static_cast<double>(i));
  turn();
  log(0, 0.0);
  turn();
  EXPECT_EQ(rows_[0].verdict, TrialVerdict::kNone) << "the best one has kept nothing yet";
  checkpoints_.insert(*rows_[3].run);
  for (std::size_t i = 1; i < 4; ++i) log(i, static_cast<double>(i));
  turn();
  log(0, 0.0);
  const auto decisions = turn();
  ASSERT_EQ(decisions.drawn.size(), 1U);
  EXPECT_EQ(decisions.drawn[0].source, "HD_1_3");
  EXPECT_EQ(decisions.drawn[0].inherited, 2);
  EXPECT_EQ(rows_[0].verdict, TrialVerdict::kStop);
  EXPECT_NE(rows_[0].reason.find("HD_1_4 goes on instead"), std::string::npos) << rows_[0].reason;
}

}  // namespace
}  // namespace roost
