#include "domain/endpoint.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

Json body() { return {{"name", "birds"}, {"deployments", {{{"models", {"birds:3"}}}}}}; }

std::string refusal(const Json& given) {
  const auto read = parse_new_endpoint(given);
  return read ? "" : read.error().message;
}

TEST(Endpoint, TheOnlyDeploymentGetsAllRequests) {
  const auto read = parse_new_endpoint(body());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->spec.auth, "key");
  EXPECT_EQ(read->spec.default_deployment, "default");
  EXPECT_EQ(read->spec.traffic.at("default"), 100);
}

TEST(Endpoint, WhatIsLeftGoesToTheDefault) {
  Json given = body();
  given["deployments"].push_back({{"name", "green"}});
  given["traffic"] = {{"green", 10}};
  const auto read = parse_new_endpoint(given);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->spec.traffic.at("default"), 90);
}

TEST(Endpoint, IsReadBackAsItWasStored) {
  Json given = body();
  given["deployments"][0]["replicas"] = {{"min", 0}, {"max", 3}};
  given["deployments"][0]["max_concurrent_requests"] = 2;
  given["settings"] = {{"cpu_cores", nullptr}};
  auto read = parse_new_endpoint(given);
  ASSERT_TRUE(read);
  read->spec.deployments[0].revision = 7;
  const Json stored = endpoint_spec_json(read->spec);
  const auto again = stored_endpoint(stored);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(endpoint_spec_json(*again), stored);
}

TEST(Endpoint, RefusalsNameWhatIsWrong) {
  Json given = body();
  given["name"] = "Birds_1";
  EXPECT_NE(refusal(given).find("\"Birds_1\" cannot name an endpoint"), std::string::npos);
  given = body();
  given["traffic"] = {{"blue", 100}};
  EXPECT_NE(refusal(given).find("the deployment \"blue\", which birds does not have"), std::string::npos);
  given = body();
  given["deployments"].push_back({{"name", "green"}});
  given["traffic"] = {{"default", 70}, {"green", 70}};
  EXPECT_NE(refusal(given).find("adds up to 140"), std::string::npos);
  given = body();
  given["deployments"][0]["models"] = {"birds:x"};
  EXPECT_NE(refusal(given).find("birds:3"), std::string::npos);
  given = body();
  given["deployments"][0]["replicas"] = {{"min", 3}, {"max", 2}};
  EXPECT_NE(refusal(given).find("below its \"min\" of 3"), std::string::npos);
  given = body();
  given["primary_key"] = "short";
  EXPECT_NE(refusal(given).find("\"primary_key\" must be 8"), std::string::npos);
  given = body();
  given["deployments"][0]["code"] = {{"snapshot", std::string(64, 'a')}, {"entry_script", "../x.py"}};
  EXPECT_NE(refusal(given).find("inside the code"), std::string::npos);
}

TEST(Endpoint, AnUpdateChangesWhatItNames) {
  auto made = parse_new_endpoint(body());
  ASSERT_TRUE(made);
  made->spec.tags = {{"a", "1"}};
  made->spec.properties = {{"p", "1"}};
  const auto update = apply_endpoint_update({{"tags", {{"b", "2"}}}, {"properties", {{"q", "2"}}}, {"auth", "none"}}, made->spec);
  ASSERT_TRUE(update) << update.error().message;
  EXPECT_EQ(made->spec.tags, (Json{{"b", "2"}}));
  EXPECT_EQ(made->spec.properties, (Json{{"p", "1"}, {"q", "2"}}));
  EXPECT_EQ(made->spec.auth, "none");
}

}  // namespace
}  // namespace roost
