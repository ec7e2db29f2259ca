#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "server/ages.h"
#include "server/node_watch.h"
#include "server/serving_time.h"

namespace roost {
namespace {

constexpr Micros kHour = 3600 * kSecond;

// The control loop comes round four times a second for so long.
void serve(TestClock& clock, ServingTime& serving, Micros time) {
  for (Micros passed = 0; passed < time; passed += kSecond / 4) {
    clock.pass(kSecond / 4);
    EXPECT_FALSE(serving.tick());
  }
}

TEST(ServingTimeTest, StepsOfTheWallClockDoNotCount) {
  TestClock clock;
  ServingTime serving(clock);
  const Micros before = serving.now();
  for (const Micros step : {2 * kHour, -5 * kHour}) {
    clock.wall += step;
    EXPECT_FALSE(serving.tick());
  }
  EXPECT_EQ(serving.now(), before);
  serve(clock, serving, 10 * kSecond);
  EXPECT_EQ(serving.now() - before, 10 * kSecond);
}

TEST(ServingTimeTest, StandsStillWhileTheServerDoes) {
  TestClock clock;
  ServingTime serving(clock);
  const Micros before = serving.now();
  clock.pass(2 * kHour);
  EXPECT_LE(serving.now() - before, kSecond) << "also for those who ask before the loop has come round";
  EXPECT_TRUE(serving.tick()) << "such a pause is noticed";
  EXPECT_LE(serving.now() - before, kSecond);
  EXPECT_FALSE(serving.tick()) << "once";
}

TEST(ServingTimeTest, ALateTickIsNoPauseButDoesNotCountInFull) {
  TestClock clock;
  ServingTime serving(clock);
  const Micros before = serving.now();
  clock.pass(2 * kSecond);
  EXPECT_FALSE(serving.tick());
  EXPECT_EQ(serving.now() - before, kSecond);
}

TEST(NodeWatchTest, AfterAPauseEverybodyHasHisFullTimeToSpeak) {
  TestClock clock;
  ServingTime serving(clock);
  NodeWatch nodes;
  nodes.heard("a", serving.now());
  serve(clock, serving, 59 * kSecond);
  EXPECT_EQ(serving.now() - nodes.last_heard("a", serving.now()), 59 * kSecond);
  clock.pass(60 * kSecond);
  if (serving.tick()) nodes.forgive_silence(serving.now());
  EXPECT_EQ(serving.now() - nodes.last_heard("a", serving.now()), 0);
  serve(clock, serving, 59 * kSecond);
  EXPECT_LT(serving.now() - nodes.last_heard("a", serving.now()), 60 * kSecond);
}

TEST(NodeWatchTest, OnlyANodeThatSpokeCanLackSomething) {
  NodeWatch nodes;
  EXPECT_TRUE(nodes.may_have("a", {"run", 1, 0}));
  nodes.heard("a", 1);
  EXPECT_TRUE(nodes.may_have("a", {"run", 1, 0})) << "a runner that does not say what it has";
  nodes.has("a", {{"run", 1, 0}});
  EXPECT_TRUE(nodes.may_have("a", {"run", 1, 0}));
  EXPECT_FALSE(nodes.may_have("a", {"run", 2, 0}));
  EXPECT_FALSE(nodes.may_have("a", {"run", 1, 1}));
  nodes.forget("a");
  EXPECT_TRUE(nodes.may_have("a", {"run", 2, 0}));
}

TEST(AgesTest, CountFromTheFirstLookAndAnewForAnotherStamp) {
  Ages ages;
  EXPECT_EQ(ages.age("a", 7, 100), 0);
  EXPECT_EQ(ages.age("a", 7, 130), 30);
  EXPECT_EQ(ages.age("a", 8, 140), 0);
  EXPECT_EQ(ages.age("a", 8, 150), 10);
  ages.sweep();
  EXPECT_EQ(ages.age("a", 8, 160), 20) << "it was asked for";
  ages.sweep();
  ages.sweep();
  EXPECT_EQ(ages.age("a", 8, 170), 0);
}

}  // namespace
}  // namespace roost
