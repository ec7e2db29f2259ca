#include "compute/control_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "base/fake_clock.h"

namespace roost {
namespace {

class ControlLoopTest : public testing::Test {
 protected:
  ControlLoop loop(std::function<void()> schedule) {
    return {serving_, nodes_, wake_, clock_,
            LoopDuties{{{"first", [this] { ++watched_; }}, {"second", [this] { ++watched_; }}},
                       {"scheduling", std::move(schedule)}}};
  }

  FakeClock clock_;
  ServingTime serving_{clock_};
  NodeWatch nodes_{serving_};
  Wake wake_;
  int watched_ = 0;
};

TEST_F(ControlLoopTest, SchedulesAtEveryTurnAndWatchesFourTimesASecond) {
  int scheduled = 0;
  ControlLoop loop = this->loop([&] { ++scheduled; });
  for (int i = 0; i < 100; ++i) {
    loop.turn();
    clock_.pass(kSecond / 100);
  }
  EXPECT_EQ(scheduled, 100);
  EXPECT_EQ(watched_, 2 * 4);
}

TEST_F(ControlLoopTest, WhatThrowsDoesNotStopTheRest) {
  int scheduled = 0;
  ControlLoop loop(serving_, nodes_, wake_, clock_,
                   LoopDuties{{{"throws", [] { throw std::runtime_error("no"); }}, {"watch", [this] { ++watched_; }}},
                              {"scheduling", [&] { ++scheduled; }}});
  loop.turn();
  EXPECT_EQ(watched_, 1);
  EXPECT_EQ(scheduled, 1);
}

TEST_F(ControlLoopTest, AfterALongPauseNobodyIsBlamedForSilence) {
  ControlLoop loop = this->loop([] {});
  nodes_.heard("a");
  loop.turn();
  clock_.pass(3600 * kSecond);
  loop.turn();
  EXPECT_EQ(nodes_.silence("a"), 0);
}

TEST_F(ControlLoopTest, TheThreadTakesATurnWhenItIsWoken) {
  std::atomic<int> scheduled = 0;
  ControlLoop loop = this->loop([&] {
    ++scheduled;
    scheduled.notify_all();
  });
  wake_.notify();
  loop.start();
  scheduled.wait(0);
  loop.stop();
  EXPECT_GE(scheduled, 1);
}

}  // namespace
}  // namespace roost
