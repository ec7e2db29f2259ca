#include "server/config.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(Config, ReadsWhatIsSetAndKeepsTheRest) {
  const auto config = parse_config("port: 9000\ntls:\n  self_signed: true\n", "roost.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->port, 9000);
  EXPECT_TRUE(config->tls_self_signed);
  EXPECT_EQ(config->address, "127.0.0.1");
  EXPECT_TRUE(parse_config("", "roost.yaml"));
}

TEST(Config, AMachineMayHaveALimit) {
  const auto config = parse_config("local_nodes: 4", "roost.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->local_nodes, 4);
  EXPECT_FALSE(parse_config("local_nodes: -1", "roost.yaml"));
}

TEST(Config, ARegistryForImages) {
  const auto config = parse_config("environments: {registry: '127.0.0.1:5000', registry_insecure: true}", "roost.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->environments.registry, "127.0.0.1:5000");
  EXPECT_TRUE(config->environments.registry_insecure);
}

TEST(Config, HostsAndVariablesForRuns) {
  const auto config = parse_config(
      "hosts: [{address: 10.0.0.1, start: [ip, netns, exec, a]}]\nvariables: {NCCL_DEBUG: WARN}", "roost.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->hosts.size(), 1U);
  EXPECT_EQ(config->hosts[0].address, "10.0.0.1");
  EXPECT_EQ(config->hosts[0].start.back(), "a");
  EXPECT_EQ(config->variables.at("NCCL_DEBUG"), "WARN");
  EXPECT_FALSE(parse_config("hosts: [{start: [ip]}]", "roost.yaml"));
  EXPECT_FALSE(parse_config("variables: {'a b': x}", "roost.yaml"));
}

TEST(Config, RefusesByName) {
  const auto message = [](const char* text) {
    const auto config = parse_config(text, "roost.yaml");
    return config ? std::string() : config.error().message;
  };
  EXPECT_NE(message("prot: 1").find("prot"), std::string::npos);
  EXPECT_NE(message("port: 70000").find("port"), std::string::npos);
  EXPECT_NE(message("node_lost_seconds: soon").find("node_lost_seconds"), std::string::npos);
  EXPECT_NE(message("tls: {certificate: a}").find("key"), std::string::npos);
  EXPECT_NE(message("a: [").find("line"), std::string::npos);
}

TEST(Config, NeedsTlsOrAWordToServeOthers) {
  ServerConfig config;
  EXPECT_TRUE(check_exposure(config));
  config.address = "0.0.0.0";
  EXPECT_FALSE(check_exposure(config));
  config.allow_insecure = true;
  EXPECT_TRUE(check_exposure(config));
  config.allow_insecure = false;
  config.tls_self_signed = true;
  EXPECT_TRUE(check_exposure(config));
}

}  // namespace
}  // namespace roost
