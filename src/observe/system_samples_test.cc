#include "observe/system_samples.h"

#include <fmt/format.h>

#include "records/test_database.h"

namespace roost {
namespace {

constexpr Micros kStart = 1'763'240'000 * kSecond;

class SystemSamples : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    run_ = add_run();
  }
  // A sample every two seconds whose value is its number.
  void add(int from, int to, const std::string& node = "n1") {
    write([&](Tx& tx) -> Status {
      for (int i = from; i < to; ++i) {
        ROOST_CHECK(insert_system_sample(tx, run_.seq, node, kStart + 2 * kSecond * i, {{"cpu_percent", i}, {"load_1m", 7}}));
      }
      return {};
    });
  }
  Json series(std::int64_t buckets = 100'000) {
    Json answer;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(answer, system_series(tx, run_.seq, buckets));
      return {};
    });
    return answer["series"];
  }
  std::int64_t number(const std::string& sql) {
    std::int64_t out = -1;
    write([&](Tx& tx) -> Status {
      Rows rows = tx.query(sql);
      if (rows.next()) out = rows.integer(0);
      return rows.status();
    });
    return out;
  }
  Run run_;
};

TEST_F(SystemSamples, AreAllThereWhileTheyAreNew) {
  add(0, 100);
  add(0, 3, "n2");
  const Json all = series();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0]["node"], "n1");
  EXPECT_EQ(all[0]["name"], "cpu_percent");
  ASSERT_EQ(all[0]["points"].size(), 100U);
  EXPECT_EQ(all[0]["points"][99]["value"], 99);
  EXPECT_EQ(all[0]["points"][99]["at"], format_time(kStart + 198 * kSecond));
  EXPECT_EQ(all[2]["node"], "n2");
  EXPECT_EQ(all[2]["points"].size(), 3U);
  EXPECT_LE(series(30)[0]["points"].size(), 30U);
}

TEST_F(SystemSamples, OldOnesAreThinnedToTheirMeansAndNewOnesAreNot) {
  constexpr int kSamples = 200'000;  // four and a half days
  add(0, kSamples);
  const Json points = series()[0]["points"];
  EXPECT_LE(points.size(), 20'000U);
  EXPECT_LE(number("SELECT count(*) FROM system_block"), 60);
  // The newest are as they came.
  for (std::size_t i = 1; i <= 1024; ++i) {
    ASSERT_EQ(points[points.size() - i]["value"], static_cast<double>(kSamples) - static_cast<double>(i));
  }
  // Older ones stand for what was around them, over the whole time and in its order.
  EXPECT_LE(points[0]["value"].get<double>(), 256.0);
  double last = -1;
  for (const auto& point : points) {
    const double value = point["value"].get<double>();
    ASSERT_GT(value, last);
    ASSERT_NEAR(static_cast<double>(parse_time(point["at"].get<std::string>()).value() - kStart) / (2 * kSecond), value, 0.01);
    last = value;
  }
}

TEST_F(SystemSamples, AValueThatComesLaterOrGoesIsAbsentElsewhere) {
  write([&](Tx& tx) -> Status {
    for (int i = 0; i < 100; ++i) {
      Json values = {{"cpu_percent", i}, {"name", "text"}};
      if (i >= 50) values["gpu0_percent"] = i;
      ROOST_CHECK(insert_system_sample(tx, run_.seq, "n1", kStart + i, values));
    }
    return insert_system_sample(tx, run_.seq, "n1", kStart + 100, Json::object());
  });
  const Json all = series();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["points"].size(), 100U);
  EXPECT_EQ(all[1]["name"], "gpu0_percent");
  ASSERT_EQ(all[1]["points"].size(), 50U);
  EXPECT_EQ(all[1]["points"][0]["value"], 50);
}

TEST_F(SystemSamples, ThoseOfAnEarlierVersionAreMoved) {
  write([&](Tx& tx) -> Status {
    for (int i = 0; i < 5000; ++i) {
      ROOST_CHECK(tx.run("INSERT INTO system_sample VALUES (?, ?, ?, ?)", run_.seq, i % 2 == 0 ? "n1" : "n2", kStart + i,
                         fmt::format("{{\"cpu_percent\":{}}}", i)));
    }
    ROOST_CHECK(tx.run("INSERT INTO system_sample VALUES (?, 'n3', 1, 'garbage')", run_.seq));
    return {};
  });
  ASSERT_TRUE(move_old_samples(*db_));
  ASSERT_TRUE(move_old_samples(*db_));
  EXPECT_EQ(number("SELECT count(*) FROM system_sample"), 0);
  const Json all = series();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["points"].size(), 2500U);
  EXPECT_EQ(all[1]["points"][2499]["value"], 4999);
  add(5000, 5010);
  EXPECT_EQ(series()[0]["points"].size(), 2510U) << "new ones go on after them";
}

}  // namespace
}  // namespace roost
