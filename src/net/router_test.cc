#include "net/router.h"

#include <gtest/gtest.h>

#include "net/request_target.h"

namespace roost {
namespace {

Router make_router() {
  Router router;
  const auto add = [&router](const char* method, const char* pattern) {
    router.add({method, pattern, std::string(method) + " " + pattern, {}, nullptr});
  };
  add("GET", "/");
  add("GET", "/runs/{run}");
  add("PATCH", "/runs/{run}");
  add("GET", "/runs/{run}/logs");
  add("GET", "/runs/{run}/logs/{name...}");
  add("PUT", "/blobs/{digest}");
  add("GET", "/blobs/{digest}");
  add("POST", "/blobs/missing");
  add("GET", "/blobs/latest");
  add("GET", "/files/{path...}");
  add("GET", "/files/special/{one}");
  return router;
}

std::string operation(const Router::Match& match) {
  return match.route ? match.route->operation : "none";
}

TEST(Router, FindsLiteralsParametersAndRests) {
  const Router router = make_router();
  EXPECT_EQ(operation(router.find("GET", "/")), "GET /");
  auto match = router.find("GET", "/runs/a_1");
  EXPECT_EQ(operation(match), "GET /runs/{run}");
  EXPECT_EQ(match.parameters.at("run"), "a_1");
  match = router.find("GET", "/runs/a/logs/azureml-logs/70.txt");
  EXPECT_EQ(operation(match), "GET /runs/{run}/logs/{name...}");
  EXPECT_EQ(match.parameters.at("name"), "azureml-logs/70.txt");
  EXPECT_EQ(operation(router.find("GET", "/runs/a/logs")), "GET /runs/{run}/logs");
}

TEST(Router, PrefersTheMoreSpecificPattern) {
  const Router router = make_router();
  EXPECT_EQ(operation(router.find("GET", "/blobs/latest")), "GET /blobs/latest");
  EXPECT_EQ(operation(router.find("PUT", "/blobs/latest")), "PUT /blobs/{digest}");
  EXPECT_EQ(operation(router.find("GET", "/blobs/missing")), "GET /blobs/{digest}");
  EXPECT_EQ(operation(router.find("GET", "/files/special/x")), "GET /files/special/{one}");
  EXPECT_EQ(operation(router.find("GET", "/files/special/x/y")), "GET /files/{path...}");
}

TEST(Router, TellsWhichMethodsAPathHas) {
  const Router router = make_router();
  auto match = router.find("DELETE", "/runs/a");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allowed, (std::vector<std::string>{"GET", "HEAD", "PATCH"}));
  match = router.find("GET", "/nowhere");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_TRUE(match.allowed.empty());
}

TEST(Router, GivesWhatNoOtherHasToTheCatchAll) {
  Router router = make_router();
  router.add({"GET", "/{path...}", "everything else", {}, nullptr});
  router.add({"PUT", "/only-put", "put", {}, nullptr});
  EXPECT_EQ(operation(router.find("GET", "/nowhere/at/all")), "everything else");
  EXPECT_EQ(operation(router.find("HEAD", "/nowhere")), "everything else");
  EXPECT_EQ(operation(router.find("GET", "/runs/a")), "GET /runs/{run}");
  EXPECT_TRUE(router.find("POST", "/nowhere").allowed.empty());
  EXPECT_EQ(router.find("GET", "/only-put").allowed, std::vector<std::string>{"PUT"});
}

TEST(Router, NamesTheMethodsOfACatchAllThatTakesSeveral) {
  Router router;
  for (const char* method : {"POST", "GET"}) router.add({method, "/{path...}", "forward", {}, nullptr});
  EXPECT_EQ(operation(router.find("POST", "/any/where")), "forward");
  const auto match = router.find("DELETE", "/any/where");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allowed, (std::vector<std::string>{"GET", "POST"}));
}

TEST(Router, AnswersHeadByGetUnlessThereIsOne) {
  Router router = make_router();
  EXPECT_EQ(operation(router.find("HEAD", "/runs/a")), "GET /runs/{run}");
  router.add({"HEAD", "/runs/{run}", "own", {}, nullptr});
  EXPECT_EQ(operation(router.find("HEAD", "/runs/a")), "own");
}

TEST(Router, DecodesEachPartByItself) {
  const Router router = make_router();
  EXPECT_EQ(router.find("GET", "/runs/a%2Fb").parameters.at("run"), "a/b");
  EXPECT_EQ(router.find("GET", "/runs/a%2Fb/logs/c%2fd/e%20f").parameters.at("name"), "c/d/e f");
  EXPECT_EQ(router.find("GET", "/runs/x%00y").parameters.at("run"), std::string("x\0y", 3));
  EXPECT_EQ(router.find("GET", "/runs/a+b").parameters.at("run"), "a+b");
  EXPECT_EQ(operation(router.find("GET", "/run%73/a")), "GET /runs/{run}");
  EXPECT_EQ(operation(router.find("GET", "/runs/%zz")), "none");
}

TEST(Router, NeverMatchesAnEmptyParameter) {
  const Router router = make_router();
  EXPECT_EQ(operation(router.find("GET", "/runs/")), "none");
  EXPECT_EQ(operation(router.find("GET", "/runs//logs")), "none");
  EXPECT_EQ(operation(router.find("GET", "/runs/a/logs/")), "none");
  EXPECT_EQ(operation(router.find("GET", "/runs/a/logs//x")), "GET /runs/{run}/logs/{name...}");
  EXPECT_EQ(operation(router.find("GET", "")), "none");
}

TEST(RouterDeathTest, RefusesTheSameRouteTwice) {
  Router router = make_router();
  EXPECT_DEATH(router.add({"GET", "/runs/{other}", "", {}, nullptr}), "two routes");
  EXPECT_DEATH(router.add({"GET", "/{a...}/b", "", {}, nullptr}), "last part");
}

TEST(PercentCoding, RoundTripsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  std::string decoded;
  ASSERT_TRUE(percent_decode(percent_encode(all), decoded));
  EXPECT_EQ(decoded, all);
  EXPECT_EQ(percent_encode("a/b c", true), "a/b%20c");
  EXPECT_EQ(percent_encode("a/b~", false), "a%2Fb~");
  for (const char* bad : {"%", "a%4", "%4g", "%%41"}) EXPECT_FALSE(percent_decode(bad, decoded));
}

TEST(RequestTarget, SplitsPathAndQuery) {
  Request request;
  auto raw = parse_request_target("/a%2Fb/c?x=1&y=a+b%26&x=2&flag&=v&&z=", request);
  ASSERT_TRUE(raw);
  EXPECT_EQ(*raw, "/a%2Fb/c");
  EXPECT_EQ(request.path, "/a/b/c");
  EXPECT_EQ(request.query.count("x"), 2u);
  EXPECT_EQ(request.query_value("x"), "1");
  EXPECT_EQ(request.query_value("y"), "a b&");
  EXPECT_EQ(request.query_value("flag"), "");
  EXPECT_EQ(request.query_value("z"), "");
  EXPECT_EQ(request.query_value("none"), std::nullopt);
}

TEST(RequestTarget, TakesTheFormWithAHost) {
  Request request;
  EXPECT_EQ(parse_request_target("http://host:80/a?b=c", request).value_or("bad"), "/a");
  EXPECT_EQ(request.query_value("b"), "c");
  EXPECT_EQ(parse_request_target("https://host", request).value_or("bad"), "/");
}

TEST(RequestTarget, RefusesWhatIsMalformed) {
  for (const char* bad : {"", "*", "a/b", "host:80", "/a%", "/a?b=%g1", "/a#b"}) {
    Request request;
    EXPECT_FALSE(parse_request_target(bad, request)) << bad;
  }
}

}  // namespace
}  // namespace roost
