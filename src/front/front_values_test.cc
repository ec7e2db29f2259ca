#include <gtest/gtest.h>

#include <fstream>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "front/endpoint_access.h"
#include "front/front_file.h"
#include "front/latency_histogram.h"
#include "front/passed_headers.h"
#include "front/routing_table.h"
#include "front/table_watch.h"
#include "front/traffic_split.h"
#include "net/test_http.h"

namespace roost {
namespace {

Json whole_table() {
  return Json::parse(R"({"generation":12,"endpoints":[{"workspace":"ws","name":"birds","slug":"birds","port":0,"auth":"key",
    "keys":["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],"maps_500_to_502":true,"max_body_bytes":1000,
    "scoring_timeout_ms":1,"queue_wait_ms":2,"queue_limit":3,"hold_ms":4,"cors_origins":"","default":"blue",
    "traffic":[{"deployment":"blue","percent":90},{"deployment":"green","percent":10}],"shadow":[{"deployment":"green","percent":100}],
    "deployments":[{"name":"blue","revision":3,"version":"birds:3","max_concurrent_requests":1,"starting":false,
      "replicas":[{"run":"r","address":"127.0.0.1","port":41233,"key":"k"}]},
      {"name":"green","revision":4,"version":"birds:4","max_concurrent_requests":0,"starting":true,"replicas":[]}]}]})");
}

std::string refusal_of(const Json& table) {
  const auto parsed = parse_routing_table(to_text(table));
  return parsed ? "" : parsed.error().message;
}

TEST(RoutingTable, HasAllOfItAndLeavesAloneWhatIsNew) {
  Json document = whole_table();
  document["endpoints"][0]["colour"] = "red";
  const auto table = parse_routing_table(to_text(document));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(12, table->generation);
  const TableEndpoint& birds = table->endpoints.at(0);
  EXPECT_EQ(3, birds.queue_limit);
  EXPECT_EQ(90, birds.traffic.at(0).percent);
  ASSERT_TRUE(birds.find("blue"));
  EXPECT_EQ(41233, birds.find("blue")->replicas.at(0).port);
  EXPECT_TRUE(birds.find("green")->is_starting);
  EXPECT_FALSE(birds.find("red"));
}

TEST(RoutingTable, NamesWhatIsWrong) {
  EXPECT_NE("", refusal_of(Json::array()));
  const auto with = [](const std::function<void(Json&)>& change) {
    Json table = whole_table();
    change(table["endpoints"][0]);
    return refusal_of(table);
  };
  EXPECT_NE(std::string::npos, with([](Json& e) { e["auth"] = "maybe"; }).find("maybe"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["keys"] = {"abc"}; }).find("SHA-256"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["traffic"][0]["percent"] = 95; }).find("100 percent"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["traffic"][0]["deployment"] = "red"; }).find("red"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["default"] = "red"; }).find("red"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["deployments"][0]["replicas"][0]["address"] = "h"; }).find("'h'"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["deployments"][1]["name"] = "blue"; }).find("twice"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e["queue_limit"] = "x"; }).find("queue_limit"));
  EXPECT_NE(std::string::npos, with([](Json& e) { e.erase("slug"); }).find("slug"));
}

TEST(EndpointAccess, TakesKeysByTheirHash) {
  TableEndpoint endpoint;
  endpoint.name = "birds";
  endpoint.keys = {sha256_hex("one"), sha256_hex("two")};
  EXPECT_EQ("", why_not_authorized(endpoint, "Bearer one", 0));
  EXPECT_EQ("", why_not_authorized(endpoint, "bearer  two ", 0));
  EXPECT_NE("", why_not_authorized(endpoint, "Bearer three", 0));
  EXPECT_NE("", why_not_authorized(endpoint, "Bearer ", 0));
  EXPECT_NE("", why_not_authorized(endpoint, "Basic one", 0));
  EXPECT_NE("", why_not_authorized(endpoint, "", 0));
  endpoint.auth = TableAuth::kNone;
  EXPECT_EQ("", why_not_authorized(endpoint, "", 0));
}

TEST(EndpointAccess, TokensGrowOld) {
  TableEndpoint endpoint;
  endpoint.auth = TableAuth::kToken;
  endpoint.keys = {sha256_hex("one")};
  endpoint.tokens = {{sha256_hex("t"), 100}};
  EXPECT_EQ("", why_not_authorized(endpoint, "Bearer t", 99));
  EXPECT_NE(std::string::npos, why_not_authorized(endpoint, "Bearer t", 100).find("too old"));
  EXPECT_NE("", why_not_authorized(endpoint, "Bearer one", 0));
}

TEST(EndpointAccess, Origins) {
  TableEndpoint endpoint;
  EXPECT_EQ("", allowed_origin(endpoint, "http://a"));
  endpoint.cors_origins = "http://a, http://b";
  EXPECT_EQ("http://b", allowed_origin(endpoint, "http://b"));
  EXPECT_EQ("", allowed_origin(endpoint, "http://c"));
  endpoint.cors_origins = "*";
  EXPECT_EQ("*", allowed_origin(endpoint, "http://c"));
  EXPECT_EQ("", allowed_origin(endpoint, ""));
}

TEST(TrafficSplit, IsExactAndEven) {
  TrafficSplit split;
  split.set({90, 10, 0});
  for (int round = 0; round < 3; ++round) {
    std::vector<int> counts(3);
    int run = 0;
    int longest = 0;
    for (int i = 0; i < 100; ++i) {
      const std::size_t turn = split.next();
      ++counts[turn];
      run = turn == 0 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    EXPECT_EQ((std::vector<int>{90, 10, 0}), counts);
    EXPECT_LE(longest, 9);
  }
  split.set({1});
  EXPECT_EQ(0U, split.next());
}

TEST(LatencyHistogram, QuantilesAreWithinTenPercent) {
  for (const std::uint64_t micros : {60ULL, 777ULL, 12'345ULL, 1'000'000ULL, 59'000'000ULL}) {
    LatencyHistogram histogram;
    histogram.add(micros);
    for (std::size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
      if (histogram.count(i) == 0) continue;
      EXPECT_GE(LatencyHistogram::upper(i), micros);
      EXPECT_LE(static_cast<double>(LatencyHistogram::upper(i)), static_cast<double>(micros) * 1.12);
    }
  }
  LatencyHistogram histogram;
  histogram.add(1ULL << 50);
  EXPECT_EQ(1U, histogram.count(LatencyHistogram::kBuckets - 1));
}

TEST(PassedHeaders, LeaveOutWhatIsOfTheConnection) {
  Request request;
  request.headers = {{"authorization", "Bearer x"}, {"connection", "keep-alive, X-Hop"}, {"x-hop", "1"},
                     {"cookie", "c"},               {"accept", "*/*"},                   {"x-roost-replica-key", "forged"},
                     {"host", "h"},                 {"inference-header-content-length", "7"}};
  EXPECT_EQ("accept: */*\r\nhost: h\r\ninference-header-content-length: 7\r\n", passed_request_headers(request));
  ClientResponse answer;
  answer.headers = {{"content-type", "text/x"}, {"content-length", "4"}, {"date", "d"}, {"x-ms-run-fn-exec-ms", "1"},
                    {"transfer-encoding", "chunked"}, {"x-request-id", "theirs"}};
  Response response;
  pass_response_headers(answer, response);
  EXPECT_EQ("text/x", response.content_type);
  EXPECT_EQ((std::map<std::string, std::string>{{"x-ms-run-fn-exec-ms", "1"}}), response.headers);
}

class FolderTest : public testing::Test {
 protected:
  FolderTest() : folder(std::filesystem::temp_directory_path() / ("roost-front-" + random_hex(8))) {
    std::filesystem::create_directories(folder / "serving");
  }
  ~FolderTest() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};
using TableWatchTest = FolderTest;
using FrontFileTest = FolderTest;

TEST_F(TableWatchTest, KeepsTheLastGoodTable) {
  const auto file = folder / "routes.json";
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::int64_t> seen;
  Json table = {{"generation", 1}, {"endpoints", Json::array()}};
  ASSERT_TRUE(write_file_atomic(file, to_text(table)));
  const TableWatch watch(
      file,
      [&](const RoutingTable& got) {
        const std::lock_guard lock(mutex);
        seen.push_back(got.generation);
        changed.notify_all();
      },
      std::chrono::milliseconds(5));
  EXPECT_EQ(1U, seen.size());
  ASSERT_TRUE(write_file_atomic(file, "{\"generation\": "));
  table["generation"] = 2;
  ASSERT_TRUE(write_file_atomic(file, to_text(table)));
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return seen.size() == 2; }));
  EXPECT_EQ(2, seen[1]);
}

TEST_F(FrontFileTest, IsReadBack) {
  EXPECT_EQ(ErrorCode::kNotFound, read_front_file(folder).error().code);
  FrontFile file;
  file.address = "127.0.0.1";
  file.port = 4711;
  file.key = "k";
  ASSERT_TRUE(write_front_file(folder, file));
  const auto read = read_front_file(folder);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(4711, read->port);
  EXPECT_EQ(::getpid(), read->pid);
  EXPECT_GT(read->start_time, 0);
  EXPECT_EQ(std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
            std::filesystem::status(front_file_path(folder)).permissions());
}

}  // namespace
}  // namespace roost
