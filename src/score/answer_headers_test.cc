#include "score/answer_headers.h"

#include <gtest/gtest.h>

#include "score/access_log.h"
#include "score/script_metrics.h"

namespace roost {
namespace {

Request with(std::map<std::string, std::string> headers) {
  Request request;
  request.id = "made";
  request.method = "POST";
  request.headers = std::move(headers);
  return request;
}

TEST(RequestIds, FillOneAnotherIn) {
  auto ids = read_ids(with({}));
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->request + "|" + ids->client + "|" + ids->legacy, "made||made");
  ids = read_ids(with({{"x-ms-request-id", "old"}}));
  EXPECT_EQ(ids->request + "|" + ids->client + "|" + ids->legacy, "made|old|old");
  ids = read_ids(with({{"x-request-id", "mine"}, {"x-ms-client-request-id", "new"}, {"x-ms-request-id", "old"}}));
  EXPECT_EQ(ids->request + "|" + ids->client + "|" + ids->legacy, "mine|new|old");
  EXPECT_FALSE(read_ids(with({{"x-request-id", std::string(101, 'x')}})));
  EXPECT_TRUE(read_ids(with({{"x-request-id", std::string(100, 'x')}})));
}

TEST(Cors, LetsAnyoneReadWithAStar) {
  Response response;
  CorsRule("*").apply(with({{"origin", "http://x"}}), response);
  EXPECT_EQ(response.headers.at("Access-Control-Allow-Origin"), "*");
  Response other;
  CorsRule("").apply(with({{"origin", "http://x"}}), other);
  EXPECT_TRUE(other.headers.empty());
}

TEST(Headers, AreOneWhateverTheirCase) {
  Response response;
  add_header(response, "X-A", "1");
  add_header(response, "x-a", "2");
  EXPECT_EQ(response.headers.at("X-A"), "1, 2");
  set_header(response, "x-A", "3");
  ASSERT_EQ(response.headers.size(), 1U);
  EXPECT_EQ(response.headers.at("x-A"), "3");
}

TEST(AccessLog, LooksAsPeopleKnowIt) {
  EXPECT_EQ(access_text("POST", "/score", "", 200, 0.0012344, 56), "POST /score 200 1.234ms 56");
  EXPECT_EQ(access_text("GET", "/score", "a=1", 500, 2, 0), "GET /score?a=1 500 2000.000ms 0");
  const std::string line = service_line(ServiceLevel::kInfo, "message");
  EXPECT_EQ(line.substr(19, 1), ",");
  EXPECT_NE(line.find(" I ["), std::string::npos);
  EXPECT_TRUE(line.ends_with("] azmlinfsrv - message\n"));
}

TEST(ScriptMetrics, CountByStatusAndTime) {
  ScriptMetrics metrics;
  metrics.count(200, std::chrono::duration<double>(0.002), std::chrono::milliseconds(1));
  metrics.count(503, std::chrono::duration<double>(100), std::chrono::milliseconds(0));
  const std::string text = metrics.text(1, 2, 3);
  EXPECT_EQ(metrics.errors(), 1U);
  for (const char* part : {"requests_total{code=\"200\"} 1\n", "bucket{le=\"0.001\"} 0\n", "bucket{le=\"0.0025\"} 1\n",
                           "bucket{le=\"+Inf\"} 2\n", "seconds_count 2\n", "busy_workers 1\n", "waiting 2\n", "restarts_total 3\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
}

}  // namespace
}  // namespace roost
