#include "endpoints/front_statistics.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

Json stats(std::int64_t started, std::uint64_t fast, std::uint64_t slow) {
  return {{"started", started},
          {"endpoints",
           {{{"workspace", "ws"},
             {"name", "birds"},
             {"deployments",
              {{{"name", "blue"},
                {"in_flight", 3},
                {"waiting", 1},
                {"held", 1},
                {"requests", fast + slow},
                {"errors", slow},
                {"latency_us_buckets", {{1000, fast}, {2000, 0U}, {8000, slow}}}}}}}}}};
}

TEST(FrontStatistics, GivesRatesAndLatencies) {
  FrontStatistics statistics;
  statistics.take(stats(1, 0, 0), 10 * kSecond, 0);
  statistics.take(stats(1, 990, 10), 15 * kSecond, 0);
  const Json blue = statistics.of("ws", "birds", {"blue"})["deployments"][0];
  EXPECT_EQ(blue["requests"], 1000);
  EXPECT_EQ(blue["errors"], 10);
  EXPECT_DOUBLE_EQ(blue["requests_per_second"].get<double>(), 200);
  ASSERT_EQ(blue["points"].size(), 1U);
  EXPECT_LT(blue["points"][0]["p50_ms"].get<double>(), 1.0);
  EXPECT_EQ(statistics.load("ws", "birds", "blue").in_flight, 3);
  EXPECT_EQ(statistics.load("ws", "birds", "blue").waiting, 2);
}

TEST(FrontStatistics, CountsOnOverANewFront) {
  FrontStatistics statistics;
  statistics.take(stats(1, 100, 0), kSecond, 0);
  statistics.lost();
  EXPECT_EQ(statistics.load("ws", "birds", "blue").in_flight, 0) << "nobody knows";
  statistics.take(stats(2, 5, 0), 2 * kSecond, 0);
  EXPECT_EQ(statistics.of("ws", "birds", {"blue"})["deployments"][0]["requests"], 105);
}

TEST(FrontStatistics, OfWhatNobodyCalledThereIsNothing) {
  const Json none = FrontStatistics().of("ws", "birds", {"blue"});
  EXPECT_EQ(none["deployments"][0]["requests"], 0);
  EXPECT_EQ(none["front"]["up"], false);
}

}  // namespace
}  // namespace roost
