#include <algorithm>
#include <cmath>

#include "observe/log_store.h"
#include "observe/metric_block.h"
#include "observe/metric_store.h"
#include "records/test_database.h"

namespace roost {
namespace {

class Observe : public DatabaseFixture {
 protected:
  Ingested ingest(Run& run, std::uint64_t offset, std::string_view bytes) {
    Ingested taken;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(taken, ingest_spool(tx, run, 1, "spool/a.spool", offset, bytes));
      return {};
    });
    return taken;
  }
  Json points(const Run& run, const char* name) {
    Json out;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto metric, find_metric(tx, run, 1, name));
      ROOST_TRY(out, metric_points(tx, metric, 0, 1'000'000));
      return {};
    });
    return out["points"];
  }
};

std::string scalar(int value) {
  return R"(["scalar","loss",)" + std::to_string(value) + ",null,1763240000]\n";
}

TEST_F(Observe, RepeatedAndOverlappingPiecesAreTakenOnce) {
  Run run = add_run();
  std::string all;
  for (int i = 0; i < 10; ++i) all += scalar(i);
  const std::uint64_t half = 5 * scalar(0).size();
  EXPECT_EQ(ingest(run, 0, std::string_view(all).substr(0, half + 3)).length, half)
      << "a line cut off is left for the next piece";
  EXPECT_EQ(ingest(run, 0, std::string_view(all).substr(0, half)).points, 0);
  EXPECT_EQ(ingest(run, all.size(), scalar(99)).length, half) << "a gap is not taken";
  EXPECT_EQ(ingest(run, half - scalar(0).size(), std::string_view(all).substr(half - scalar(0).size())).points, 5);
  const Json got = points(run, "loss");
  ASSERT_EQ(got.size(), 10U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)]["value"], static_cast<double>(i));
}

TEST_F(Observe, LoggedPointsAreKeptOnceAndTheLatestIsThatOfTheGreatestStep) {
  Run run = add_run();
  std::vector<LoggedPoint> batch;
  for (int i = 0; i < 1000; ++i) batch.push_back({"loss", {i, 1'000'000 + i, i * 0.5}});
  batch.push_back({"loss", {3, 2'000'000, std::nan("")}});
  const auto log = [&](const std::vector<LoggedPoint>& points) {
    std::int64_t added = -1;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(added, ingest_points(tx, run, 1, points));
      return {};
    });
    return added;
  };
  EXPECT_EQ(log(batch), 1001);
  EXPECT_EQ(log(batch), 0) << "the same request again";
  EXPECT_EQ(log({{"loss", {3, 2'000'000, 7}}, {"loss", {3, 2'000'000, 7}}}), 1);
  ingest(run, 0, "[\"scalar\",\"loss\",8,2000,3]\n");
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto points, ordered_numbers(tx, run.seq, 1, "loss"));
    EXPECT_EQ(points.size(), 1003U);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.at < b.at; }));
    EXPECT_TRUE(std::isnan(points[1000].value)) << "of equal time and step NaN comes first";
    ROOST_TRY(const MetricSummary metric, find_metric(tx, run, 1, "loss"));
    EXPECT_EQ(metric.last, 8) << "what the script says itself is the last as it comes";
    return {};
  });
  EXPECT_EQ(log({{"loss", {2, 9'000'000, 1}}}), 1);
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const MetricSummary metric, find_metric(tx, run, 1, "loss"));
    EXPECT_EQ(metric.last, 8);
    EXPECT_EQ(metric.last_step, 2000);
    EXPECT_EQ(metric.count, 1004);
    return {};
  });
}

TEST_F(Observe, IntegersStayIntegers) {
  Run run = add_run();
  ingest(run, 0, "[\"scalar\",\"n\",1152921504606846977,null,1]\n[\"scalar\",\"n\",2.0,null,1]\n"
                 "[\"list\",\"n\",[-3,\"x\"],null,1]\n[\"list\",\"none\",[],null,1]\n");
  const Json found = points(run, "n");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(to_text(found[0]["value"]), "1152921504606846977");
  EXPECT_EQ(to_text(found[1]["value"]), "2.0");
  EXPECT_EQ(to_text(found[2]["value"]), "-3");
  EXPECT_EQ(points(run, "none"), Json::array());
}

TEST(MetricBlock, PointsOfOlderServersAreReadAsTheyWere) {
  const struct { std::int64_t step; std::int64_t at; double value; } old = {7, 1'763'240'000'500'000, 0.25};
  const MetricPoint point = point_at({reinterpret_cast<const char*>(&old), sizeof old}, 0);
  EXPECT_EQ(point.step, 7);
  EXPECT_EQ(point.at, old.at);
  EXPECT_EQ(point.value, 0.25);
  EXPECT_FALSE(point.whole);
}

TEST_F(Observe, BadLinesAreSkippedAndCounted) {
  Run run = add_run();
  const auto taken = ingest(run, 0, scalar(1) + "garbage\n" + scalar(2));
  EXPECT_EQ(taken.bad_lines, 1);
  EXPECT_NE(taken.first_bad.find("garbage"), std::string::npos);
  EXPECT_EQ(points(run, "loss").size(), 2U);
}

TEST_F(Observe, KeepsAllKindsInOrder) {
  Run run = add_run();
  ingest(run, 0,
         "[\"list\",\"l\",[1,2,\"NaN\"],null,1]\n"
         "[\"row\",\"r\",{\"a\":1},null,1]\n[\"row\",\"r\",{\"a\":2},null,2]\n"
         "[\"scalar\",\"size\",\"100k\",null,1]\n[\"scalar\",\"size\",5,null,1]\n"
         "[\"confusion_matrix\",\"cm\",{\"matrix\":[[1,0],[0,1]]},null,1]\n"
         "[\"tag\",\"team\",\"red\",null,1]\n");
  EXPECT_EQ(points(run, "l").size(), 3U);
  EXPECT_EQ(points(run, "l")[2]["value"], "NaN");
  EXPECT_EQ(points(run, "r")[1]["value"], Json({{"a", 2}}));
  EXPECT_EQ(points(run, "size")[0]["value"], "100k");
  EXPECT_EQ(points(run, "size")[1]["value"], 5.0);
  EXPECT_EQ(reload(run).tags, Json({{"team", "red"}}));
}

TEST_F(Observe, LongSeriesSpanBlocksAndBucketsKeepTheSpikes) {
  Run run = add_run();
  std::string all;
  for (int i = 0; i < 20'000; ++i) all += scalar(i == 7777 ? 1'000'000 : i == 12'345 ? -5 : i % 100);
  ingest(run, 0, std::string_view(all).substr(0, all.size() / 3));
  const auto first = ingest(run, 0, all);
  EXPECT_EQ(first.length, all.size());
  EXPECT_EQ(points(run, "loss").size(), 20'000U);
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto metric, find_metric(tx, run, 1, "loss"));
    EXPECT_EQ(metric.count, 20'000);
    EXPECT_EQ(metric.max, 1'000'000.0);
    ROOST_TRY(const Json down, metric_buckets(tx, metric, 50));
    double low = 1e9;
    double high = -1e9;
    std::int64_t count = 0;
    for (const auto& bucket : down["buckets"]) {
      low = std::min(low, bucket["min"].get<double>());
      high = std::max(high, bucket["max"].get<double>());
      count += bucket["count"].get<std::int64_t>();
    }
    EXPECT_LE(down["buckets"].size(), 50U);
    EXPECT_EQ(low, -5.0);
    EXPECT_EQ(high, 1'000'000.0);
    EXPECT_EQ(count, 20'000);
    return {};
  });
}

// Ten times a second a run's newest points arrive, a few of each metric.
TEST_F(Observe, APointIsWrittenAFewTimesNotOnceForEveryPieceAfterIt) {
  Run run = add_run();
  write([](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("CREATE TABLE written (bytes INTEGER)"));
    ROOST_CHECK(tx.run("CREATE TRIGGER count_bytes AFTER INSERT ON metric_block"
                       " BEGIN INSERT INTO written VALUES (length(new.data)); END"));
    return {};
  });
  constexpr int kPieces = 2500;
  std::uint64_t offset = 0;
  for (int i = 0; i < kPieces; ++i) offset = ingest(run, offset, scalar(2 * i) + scalar(2 * i + 1)).length;
  std::int64_t bytes = 0;
  std::int64_t blocks = 0;
  write([&](Tx& tx) -> Status {
    Rows rows = tx.query("SELECT sum(bytes), (SELECT count(*) FROM metric_block) FROM written");
    if (!rows.next()) return rows.status();
    bytes = rows.integer(0);
    blocks = rows.integer(1);
    return {};
  });
  EXPECT_LE(bytes, 6 * 24 * 2 * kPieces);
  EXPECT_LE(blocks, 30);
  const Json got = points(run, "loss");
  ASSERT_EQ(got.size(), 2U * kPieces);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i]["value"], static_cast<double>(i));
}

TEST_F(Observe, LogsTakeEveryByteOnceWhateverIsRepeated) {
  LogStore logs(folder_ / "logs");
  EXPECT_EQ(logs.append("r1", 1, "azureml-logs/70_driver_log.txt", 0, "hello ").value(), 6U);
  EXPECT_EQ(logs.append("r1", 1, "azureml-logs/70_driver_log.txt", 0, "hello ").value(), 6U);
  EXPECT_EQ(logs.append("r1", 1, "azureml-logs/70_driver_log.txt", 3, "lo world\n").value(), 12U);
  EXPECT_EQ(logs.append("r1", 1, "azureml-logs/70_driver_log.txt", 50, "gap").value(), 12U);
  EXPECT_EQ(logs.read("r1", 1, "azureml-logs/70_driver_log.txt", 0, 100).value(), "hello world\n");
  EXPECT_EQ(logs.read("r1", 1, "absent", 0, 100).value(), "");
  EXPECT_FALSE(logs.size("r1", 1, "absent"));
  EXPECT_EQ(logs.list("r1", 1).size(), 1U);
  EXPECT_EQ(logs.last_lines("r1", 1, "azureml-logs/70_driver_log.txt", 5),
            std::vector<std::string>{"hello world"});
  EXPECT_TRUE(logs.sync("r1", 1));
}

TEST_F(Observe, TheTailOfALogIsItsEnd) {
  LogStore logs(folder_ / "logs");
  ASSERT_TRUE(logs.append("run", 1, "a.txt", 0, "first\nlast\n"));
  EXPECT_EQ(logs.tail("run", 1, "a.txt", 5), "last\n");
  EXPECT_EQ(logs.tail("run", 1, "a.txt", 100), "first\nlast\n");
  EXPECT_EQ(logs.tail("run", 2, "a.txt", 100), "") << "there is none";
}

}  // namespace
}  // namespace roost
