#include "runner/hang_watch.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

class HangWatchTest : public ::testing::Test {
 protected:
  // One call after a second, in which each process used so many ticks.
  double after_a_second(std::int64_t ticks_each, int ranks = 2) {
    now_ += std::chrono::seconds(1);
    for (auto& process : processes_) process.ticks += ticks_each;
    return watch_.idle_seconds(now_, bytes_, processes_, ranks, [this](const std::vector<int>& pids) {
      ++looks_;
      std::map<int, std::string> places;
      for (const int pid : pids) {
        if (!place_.empty()) places[pid] = place_;
      }
      return places;
    });
  }

  HangWatch::Time now_;
  std::int64_t bytes_ = 0;
  std::vector<TreeProcess> processes_ = {{100, 1, 0}, {101, 2, 0}};
  std::string place_ = "train.py:7";
  int looks_ = 0;
  HangWatch watch_{40, now_};
};

TEST_F(HangWatchTest, ProcessesThatSleepAreIdleAndAreNotAsked) {
  for (int i = 0; i < 60; ++i) after_a_second(1);
  EXPECT_EQ(after_a_second(1), 61);
  EXPECT_EQ(looks_, 0);
}

TEST_F(HangWatchTest, RanksThatSpinAtOnePlaceAreIdle) {
  double idle = 0;
  for (int i = 0; i < 60; ++i) idle = after_a_second(100);
  EXPECT_GE(idle, 40);
  EXPECT_LT(idle, 55) << "it counts from the first look, after a quarter of the time";
  EXPECT_LT(looks_, 55);
  place_ = "train.py:8";
  for (int i = 0; i < 3; ++i) idle = after_a_second(100);
  EXPECT_LE(idle, 3);
}

TEST_F(HangWatchTest, OutputOrACallThatEndsIsALifeSign) {
  for (int i = 0; i < 100; ++i) {
    if (i % 30 == 0) place_ = "train.py:" + std::to_string(i);
    EXPECT_LT(after_a_second(100), 40) << i;
  }
  for (int i = 0; i < 100; ++i) {
    if (i % 30 == 0) ++bytes_;
    EXPECT_LT(after_a_second(100), 40) << i;
  }
}

TEST_F(HangWatchTest, WhoDoesNotAnswerIsTakenToBeAtWork) {
  place_ = "";
  for (int i = 0; i < 100; ++i) EXPECT_EQ(after_a_second(100), 0);
}

TEST_F(HangWatchTest, OneProcessAloneIsBelieved) {
  processes_.pop_back();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(after_a_second(100, 1), 0);
  EXPECT_EQ(looks_, 0);
}

TEST_F(HangWatchTest, OneThatWorksWhileTheOthersSpinIsEnough) {
  int at = 0;
  for (int i = 0; i < 100; ++i) {
    now_ += std::chrono::seconds(1);
    for (auto& process : processes_) process.ticks += 100;
    const double idle = watch_.idle_seconds(now_, bytes_, processes_, 2, [&](const std::vector<int>&) {
      return std::map<int, std::string>{{100, "here"}, {101, std::to_string(++at)}};
    });
    EXPECT_EQ(idle, 0);
  }
}

TEST_F(HangWatchTest, NothingRunsYetIsNotIdle) {
  processes_.clear();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(after_a_second(0), 0);
}

}  // namespace
}  // namespace roost
