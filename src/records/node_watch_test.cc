#include <gtest/gtest.h>

#include "base/fake_clock.h"
#include "base/ages.h"
#include "records/node_watch.h"
#include "base/serving_time.h"

namespace roost {
namespace {

constexpr Micros kHour = 3600 * kSecond;

// The control loop comes round four times a second for so long.
void serve(FakeClock& clock, ServingTime& serving, Micros time) {
  for (Micros passed = 0; passed < time; passed += kSecond / 4) {
    clock.pass(kSecond / 4);
    EXPECT_FALSE(serving.tick());
  }
}

TEST(ServingTimeTest, StepsOfTheWallClockDoNotCount) {
  FakeClock clock;
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
  FakeClock clock;
  ServingTime serving(clock);
  const Micros before = serving.now();
  clock.pass(2 * kHour);
  EXPECT_LE(serving.now() - before, kSecond) << "also for those who ask before the loop has come round";
  EXPECT_TRUE(serving.tick()) << "such a pause is noticed";
  EXPECT_LE(serving.now() - before, kSecond);
  EXPECT_FALSE(serving.tick()) << "once";
}

TEST(ServingTimeTest, ALateTickIsNoPauseButDoesNotCountInFull) {
  FakeClock clock;
  ServingTime serving(clock);
  const Micros before = serving.now();
  clock.pass(2 * kSecond);
  EXPECT_FALSE(serving.tick());
  EXPECT_EQ(serving.now() - before, kSecond);
}

TEST(NodeWatchTest, AfterAPauseEverybodyHasHisFullTimeToSpeak) {
  FakeClock clock;
  ServingTime serving(clock);
  NodeWatch nodes(serving);
  nodes.heard("a");
  serve(clock, serving, 59 * kSecond);
  EXPECT_EQ(nodes.silence("a"), 59 * kSecond);
  clock.pass(60 * kSecond);
  if (serving.tick()) nodes.forgive_silence();
  EXPECT_EQ(nodes.silence("a"), 0);
  serve(clock, serving, 59 * kSecond);
  EXPECT_LT(nodes.silence("a"), 60 * kSecond);
}

TEST(NodeWatchTest, OnlyANodeThatSpokeCanLackSomething) {
  FakeClock clock;
  ServingTime serving(clock);
  NodeWatch nodes(serving);
  EXPECT_TRUE(nodes.may_have("a", {"run", 1, 0}));
  nodes.heard("a");
  EXPECT_TRUE(nodes.may_have("a", {"run", 1, 0})) << "a runner that does not say what it has";
  nodes.has("a", {{"run", 1, 0}});
  EXPECT_TRUE(nodes.may_have("a", {"run", 1, 0}));
  EXPECT_FALSE(nodes.may_have("a", {"run", 2, 0}));
  EXPECT_FALSE(nodes.may_have("a", {"run", 1, 1}));
  nodes.forget("a");
  EXPECT_TRUE(nodes.may_have("a", {"run", 2, 0}));
}

// Whoever asks first, and whatever the wall clock says: a server that is asked for its nodes before it heard them must
// not take them for heard of in the far future.
TEST(NodeWatchTest, SilenceOfANodeNeverHeardOfCountsFromTheFirstQuestion) {
  FakeClock clock;
  ServingTime serving(clock);
  NodeWatch nodes(serving);
  EXPECT_EQ(nodes.silence("a"), 0);
  clock.wall += kHour;
  serve(clock, serving, 10 * kSecond);
  EXPECT_EQ(nodes.silence("a"), 10 * kSecond);
}

TEST(AgesTest, CountFromTheFirstLookAndAnewForAnotherStamp) {
  FakeClock clock;
  ServingTime serving(clock);
  Ages ages(serving);
  EXPECT_EQ(ages.age("a", 7), 0);
  serve(clock, serving, 30 * kSecond);
  EXPECT_EQ(ages.age("a", 7), 30 * kSecond);
  EXPECT_EQ(ages.age("a", 8), 0);
  serve(clock, serving, 10 * kSecond);
  EXPECT_EQ(ages.age("a", 8), 10 * kSecond);
  ages.sweep();
  EXPECT_EQ(ages.age("a", 8), 10 * kSecond) << "it was asked for";
  ages.sweep();
  ages.sweep();
  EXPECT_EQ(ages.age("a", 8), 0);
}

}  // namespace
}  // namespace roost
