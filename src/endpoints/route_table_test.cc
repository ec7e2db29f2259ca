#include "endpoints/route_table.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace roost {
namespace {

RoutedEndpoint birds() {
  RoutedEndpoint routed;
  routed.endpoint.workspace = "ws";
  routed.endpoint.slug = "birds";
  routed.endpoint.primary_key = "first";
  routed.endpoint.secondary_key = "second";
  EndpointSpec& spec = routed.endpoint.spec;
  spec.name = "birds";
  spec.auth = "key";
  for (const char* name : {"blue", "green"}) {
    DeploymentSpec deployment;
    deployment.name = name;
    deployment.models = {"birds:3"};
    deployment.revision = 2;
    spec.deployments.push_back(deployment);
  }
  spec.traffic = {{"blue", 90}, {"green", 10}};
  spec.default_deployment = "blue";
  return routed;
}

ReplicaRow ready(const std::string& deployment, std::int64_t revision, std::int64_t port) {
  ReplicaRow replica;
  replica.run_id = "run_" + std::to_string(port);
  replica.deployment = deployment;
  replica.revision = revision;
  replica.version = "birds:" + std::to_string(revision);
  replica.state = "ready";
  replica.status = RunStatus::kRunning;
  replica.address = "127.0.0.1";
  replica.port = port;
  return replica;
}

TEST(RouteTable, NamesWhoServesAndWhoMay) {
  RoutedEndpoint routed = birds();
  routed.replicas = {ready("blue", 2, 4001), ready("green", 2, 4002)};
  routed.replicas[1].retired = 5;
  const Json table = route_table({routed})["endpoints"][0];
  EXPECT_EQ(table["keys"], (Json{sha256_hex("first"), sha256_hex("second")}));
  EXPECT_EQ(table["traffic"], (Json{{{"deployment", "blue"}, {"percent", 90}}, {{"deployment", "green"}, {"percent", 10}}}));
  EXPECT_EQ(table["deployments"][0]["replicas"].size(), 1U);
  EXPECT_EQ(table["deployments"][0]["replicas"][0]["port"], 4001);
  EXPECT_TRUE(table["deployments"][1]["replicas"].empty()) << "it is sent nothing more";
  EXPECT_FALSE(to_text(table).find("first") != std::string::npos) << "keys are there as hashes only";
}

TEST(RouteTable, SaysTheVersionThatAnswersWhileAnotherComesUp) {
  RoutedEndpoint routed = birds();
  routed.replicas = {ready("blue", 1, 4001)};
  EXPECT_EQ(route_table({routed})["endpoints"][0]["deployments"][0]["version"], "birds:1");
  routed.replicas.push_back(ready("blue", 2, 4002));
  EXPECT_EQ(route_table({routed})["endpoints"][0]["deployments"][0]["version"], "birds:2");
}

TEST(RouteTable, WithoutKeysNobodyIsAsked) {
  RoutedEndpoint routed = birds();
  routed.endpoint.spec.auth = "none";
  EXPECT_TRUE(route_table({routed})["endpoints"][0]["keys"].empty());
}

}  // namespace
}  // namespace roost
