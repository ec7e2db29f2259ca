#include <gtest/gtest.h>

#include "cli/work/deploy_request.h"
#include "cli/work/endpoint_logs.h"
#include "cli/work/endpoint_reference.h"

namespace roost {
namespace {

TEST(DeployRequest, WhatIsNotGivenStaysAsItIs) {
  Json deployment = {{"workers", 3}, {"replicas", {{"min", 2}, {"max", 2}}}};
  ASSERT_TRUE(apply_change(DeploymentChange(), deployment));
  EXPECT_EQ(deployment, Json({{"workers", 3}, {"replicas", {{"min", 2}, {"max", 2}}}}));
}

TEST(DeployRequest, EveryOptionHasItsPlace) {
  DeploymentChange change;
  change.min = 0;
  change.max = 4;
  change.workers = 2;
  change.max_concurrent = 0;
  change.max_batch = 16;
  change.max_delay_us = 500;
  change.timeout_ms = 1000;
  change.threads = 1;
  change.variables = {"A=1", "B=x=y"};
  Json body = Json::object();
  ASSERT_TRUE(apply_change(change, body));
  EXPECT_EQ(body["replicas"], Json({{"min", 0}, {"max", 4}}));
  EXPECT_EQ(body["batching"], Json({{"max_batch", 16}, {"max_delay_us", 500}}));
  EXPECT_EQ(body["threads"]["intra_op"], 1);
  EXPECT_EQ(body["max_concurrent_requests"], 0);
  EXPECT_EQ(body["scoring_timeout_ms"], 1000);
  EXPECT_EQ(body["environment_variables"], Json({{"A", "1"}, {"B", "x=y"}}));
}

TEST(DeployRequest, ReplicasAreOneNumberOrTwo) {
  DeploymentChange change;
  change.replicas = 3;
  Json body = Json::object();
  ASSERT_TRUE(apply_change(change, body));
  EXPECT_EQ(body["replicas"], Json({{"min", 3}, {"max", 3}}));
  change.min = 1;
  EXPECT_FALSE(apply_change(change, body));
  DeploymentChange more;
  more.min = 5;  // above what it could grow to: that grows with it
  ASSERT_TRUE(apply_change(more, body));
  EXPECT_EQ(body["replicas"], Json({{"min", 5}, {"max", 5}}));
  more.max = 2;
  const Status wrong = apply_change(more, body);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "--max 2 is less than --min 5");
}

TEST(DeployRequest, NumbersThatCannotBe) {
  Json body = Json::object();
  DeploymentChange change;
  change.workers = 0;
  EXPECT_EQ(apply_change(change, body).error().message, "--workers 0 is too small; it must be 1 or more");
  DeploymentChange unnamed;
  unnamed.variables = {"=x"};
  EXPECT_FALSE(apply_change(unnamed, body));
}

TEST(DeployRequest, WhatTheServerAnsweredCanBeSentBack) {
  const Json answered = {{"name", "blue"},
                         {"models", {{{"id", "birds:3"}, {"name", "birds"}, {"version", 3}}}},
                         {"state", "Healthy"},
                         {"error", nullptr},
                         {"revision", 4},
                         {"ready", 1},
                         {"wanted", 1},
                         {"replicas_now", Json::array()},
                         {"restarts", 0},
                         {"code", nullptr},
                         {"workers", 2}};
  EXPECT_EQ(deployment_to_send(answered), Json({{"models", {"birds:3"}}, {"workers", 2}}));
}

TEST(DeployRequest, Shares) {
  EXPECT_EQ(*parse_shares({"blue=90", "green=10"}, "x"), Json({{"blue", 90}, {"green", 10}}));
  for (const char* wrong : {"blue", "=3", "blue=", "blue=x", "blue=101", "blue=-1", "blue=5 "}) {
    EXPECT_FALSE(parse_shares({wrong}, "x")) << wrong;
  }
}

TEST(DeployRequest, TheOthersKeepTheirProportion) {
  EXPECT_EQ(*shares_with({{"blue", 100}}, "green", 10), Json({{"blue", 90}, {"green", 10}}));
  EXPECT_EQ(*shares_with({{"a", 60}, {"b", 40}}, "c", 50), Json({{"a", 30}, {"b", 20}, {"c", 50}}));
  EXPECT_EQ(*shares_with({{"a", 50}, {"b", 50}}, "a", 33), Json({{"a", 33}, {"b", 67}}));
  EXPECT_EQ(*shares_with({{"a", 34}, {"b", 33}, {"c", 33}}, "d", 1), Json({{"a", 35}, {"b", 32}, {"c", 32}, {"d", 1}}));
  EXPECT_EQ(*shares_with({{"blue", 100}}, "blue", 100), Json({{"blue", 100}}));
  EXPECT_FALSE(shares_with({{"blue", 100}}, "blue", 50)) << "nobody takes the rest";
  EXPECT_FALSE(shares_with({{"blue", 100}}, "green", 101));
}

TEST(DeployRequest, WhoMayCall) {
  EXPECT_TRUE(check_auth(""));
  EXPECT_TRUE(check_auth("token"));
  EXPECT_FALSE(check_auth("password"));
}

TEST(EndpointReference, WhichDeploymentIsMeant) {
  const Json one = {{"name", "birds"}, {"deployments", {{{"name", "blue"}}}}};
  const Json two = {{"name", "birds"}, {"deployments", {{{"name", "blue"}}, {{"name", "green"}}}}};
  EXPECT_EQ(*choose_deployment(one, ""), "blue");
  EXPECT_EQ(*choose_deployment(two, "green"), "green");
  EXPECT_EQ(choose_deployment(two, "").error().message, "the endpoint birds has several deployments; name one of blue, green");
  EXPECT_EQ(choose_deployment(one, "x").error().message, "the endpoint birds has no deployment \"x\"; it has blue");
}

TEST(EndpointLogs, OnlyWhatWasAdded) {
  EXPECT_EQ(added_text("", "a\n"), "a\n");
  EXPECT_EQ(added_text("a\n", "a\nb\n"), "b\n");
  EXPECT_EQ(added_text("a\nb\n", "b\nc\n"), "c\n") << "its beginning was cut off";
  EXPECT_EQ(added_text("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(added_text("a\n", "x\n"), "x\n");
}

}  // namespace
}  // namespace roost
