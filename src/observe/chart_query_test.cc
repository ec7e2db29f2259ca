#include "observe/chart_query.h"

#include <fmt/format.h>

#include "records/test_database.h"

namespace roost {
namespace {

class ChartQuery : public DatabaseFixture {
 protected:
  void ingest(const std::string& lines) {
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(ingest_spool(tx, run_, 1, "a", 0, lines));
      return {};
    });
  }
  Json chart(const ChartView& view) {
    std::string text;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto metric, find_metric(tx, run_, 1, "loss"));
      return append_chart(tx, metric, view, text);
    });
    return Json::parse(text);
  }
  // Steps 0, 10, 20 ... at one second each, the value is the number of the point.
  void fill(int points) {
    std::string lines;
    for (int i = 0; i < points; ++i) lines += fmt::format("[\"scalar\",\"loss\",{},{},{}]\n", i, i * 10, 1000 + i);
    ingest(lines);
  }
  void SetUp() override {
    DatabaseFixture::SetUp();
    run_ = add_run();
  }
  Run run_;
};

TEST_F(ChartQuery, FewPointsComeAsTheyAre) {
  fill(3);
  const Json all = chart({});
  EXPECT_EQ(all["steps"], Json({0, 10, 20}));
  EXPECT_EQ(all["times"], Json({1000, 1001, 1002}));
  EXPECT_EQ(all["values"], Json({0, 1, 2}));
  EXPECT_FALSE(all.contains("lows"));
}

TEST_F(ChartQuery, ARangeHasANeighbourOnEitherSide) {
  fill(10'000);
  const auto steps = [&](std::optional<double> from, std::optional<double> to) {
    return chart({false, from, to, 100})["steps"];
  };
  EXPECT_EQ(steps(50'000, 50'020), Json({49'990, 50'000, 50'010, 50'020, 50'030}));
  EXPECT_EQ(steps(50'001, 50'009), Json({50'000, 50'010})) << "a range between two points";
  EXPECT_EQ(steps(-5, 5), Json({0, 10}));
  EXPECT_EQ(steps(99'985, std::nullopt), Json({99'980, 99'990}));
  EXPECT_EQ(steps(200'000, 300'000), Json({99'990})) << "beyond the end";
  EXPECT_EQ(steps(-9, -5), Json({0})) << "before the start";
  EXPECT_EQ(chart({true, 1005, 1006, 100})["steps"], Json({40, 50, 60, 70}));
}

TEST_F(ChartQuery, BucketsKeepMeanAndExtremes) {
  fill(10'000);
  const Json all = chart({false, {}, {}, 3});
  EXPECT_EQ(all["count"], 10'000);
  EXPECT_EQ(all["steps"], Json({33'330, 66'670, 99'990})) << "those of the last point";
  EXPECT_EQ(all["lows"], Json({0, 3334, 6668}));
  EXPECT_EQ(all["highs"], Json({3333, 6667, 9999}));
  EXPECT_EQ(all["values"][0], 1666.5);
  const Json part = chart({false, 50'000, 50'990, 10});
  EXPECT_EQ(part["steps"].size(), 10U);
  EXPECT_EQ(part["lows"][0], 4999) << "the neighbour is in the first bucket";
}

TEST_F(ChartQuery, OddNumbersTextsAndMissingSteps) {
  ingest("[\"scalar\",\"loss\",\"NaN\",null,1]\n[\"scalar\",\"loss\",\"word\",null,1]\n"
         "[\"scalar\",\"loss\",\"Infinity\",null,2]\n[\"scalar\",\"loss\",1e-7,null,2.5]\n");
  const Json all = chart({});
  EXPECT_EQ(all["count"], 4);
  EXPECT_EQ(all["steps"], Json({0, 2, 3})) << "the index of each";
  EXPECT_EQ(all["times"], Json({1, 2, 2.5}));
  EXPECT_EQ(all["values"], Json({"NaN", "Infinity", 1e-7}));
  const Json one = chart({false, {}, {}, 1});
  EXPECT_EQ(one["values"], Json::array({1e-7})) << "what is finite counts";
}

TEST_F(ChartQuery, AMetricWithoutNumbersHasNoPoints) {
  ingest("[\"scalar\",\"loss\",\"word\",null,1]\n");
  EXPECT_EQ(chart({})["steps"], Json::array());
  EXPECT_EQ(chart({false, 1, 2, 5})["values"], Json::array());
}

}  // namespace
}  // namespace roost
