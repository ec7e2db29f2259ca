#include "base/wake.h"

#include <gtest/gtest.h>

#include <thread>

namespace roost {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

TEST(WakeTest, ANoticeFromBeforeIsThereAndIsTakenOnce) {
  Wake wake;
  Wake::Waiter waiter(wake);
  wake.notify();
  wake.notify();
  EXPECT_TRUE(waiter.wait_for({}, hours(1))) << "it must not wait for another";
  EXPECT_FALSE(waiter.wait_for({}, nanoseconds(0)));
}

TEST(WakeTest, EveryWaiterSeesEveryNotice) {
  Wake wake;
  Wake::Waiter first(wake);
  Wake::Waiter second(wake);
  wake.notify();
  EXPECT_TRUE(first.take());
  EXPECT_TRUE(second.take());
  EXPECT_FALSE(first.take());
}

TEST(WakeTest, WakesAThreadThatWaits) {
  Wake wake;
  bool woken = false;
  std::thread thread([&] { woken = Wake::Waiter(wake).wait_for({}, hours(1)); });
  wake.notify();
  thread.join();
  EXPECT_TRUE(woken);
}

TEST(WakeTest, StopEndsTheWaitAndThePauseWithoutANotice) {
  Wake wake;
  bool woken = true;
  std::jthread thread([&](const std::stop_token& stop) {
    Wake::Waiter waiter(wake);
    woken = waiter.wait_for(stop, hours(1));
    waiter.pause(stop, hours(1));
  });
  thread.request_stop();
  thread.join();
  EXPECT_FALSE(woken);
}

TEST(WakeTest, WhatIsNotifiedDuringAPauseIsNotLost) {
  Wake wake;
  Wake::Waiter waiter(wake);
  wake.notify();
  waiter.pause({}, nanoseconds(1));
  EXPECT_TRUE(waiter.take());
}

}  // namespace
}  // namespace roost
