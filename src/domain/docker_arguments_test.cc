#include "domain/docker_arguments.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

Result<DockerArguments> read(const Json& words) {
  return docker_arguments({{"docker", {{"arguments", words}, {"shmSize", "1g"}}}});
}

TEST(DockerArgumentsTest, TakesWhatMakesSenseHowEverItIsWritten) {
  for (const Json& words : {Json{"--memory", "2g", "--cpus", "1.5"}, Json{"-m=2g", "--cpus=1.5"},
                            Json{"--memory 2g --cpus 1.5"}}) {
    const auto taken = read(words);
    ASSERT_TRUE(taken) << words;
    EXPECT_EQ(taken->memory, 2ULL << 30) << words;
    EXPECT_EQ(taken->cpus, 1.5) << words;
    EXPECT_EQ(taken->shm_size, "1g");
    EXPECT_TRUE(taken->no_effect.empty());
  }
  EXPECT_EQ(read({"--shm-size", "8g"})->shm_size, "8g");
  EXPECT_EQ(docker_arguments(Json::object())->memory, 0U);
}

TEST(DockerArgumentsTest, NamesWhatHasNoEffectAndWhatIsNoValue) {
  const auto taken = read({"--privileged", "-v", "/a:/b", "--gpus", "all", "--network=host", "--memory", "1g"});
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->no_effect, (std::vector<std::string>{"--privileged", "-v"}));
  EXPECT_EQ(taken->memory, 1ULL << 30);
  for (const Json& bad : {Json{"--memory", "lots"}, Json{"--cpus=many"}, Json{"--cpus", "0"}, Json{"--shm-size=-1"},
                          Json{"--memory"}, Json{7}}) {
    const auto refused = read(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_NE(refused.error().message.find("docker argument"), std::string::npos);
  }
}

TEST(DockerArgumentsTest, ThoseOfARunGoBeforeTheDefinition) {
  const Json definition = {{"docker", {{"arguments", {"--memory", "2g", "--cpus=1", "-e", "A=1", "-e B=1"}}, {"shmSize", "2g"}}}};
  const Json of_run = {{"arguments", {"--memory=1g", "--env", "A=x=y", "-v", "/a:/b", "--cap-add", "ALL"}}, {"shm_size", "64m"}};
  const auto taken = docker_arguments(definition, of_run);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->memory, 1ULL << 30);
  EXPECT_EQ(taken->cpus, 1);
  EXPECT_EQ(taken->shm_size, "64m");
  EXPECT_EQ(taken->variables, (Json{{"A", "x=y"}, {"B", "1"}}));
  EXPECT_EQ(taken->no_effect, (std::vector<std::string>{"-v", "--cap-add"}));
  EXPECT_TRUE(asks_for_shared_memory(*taken));
  EXPECT_EQ(docker_arguments(definition, {{"arguments", {"--shm-size=1g"}}, {"shm_size", "64m"}})->shm_size, "1g");
  EXPECT_FALSE(asks_for_shared_memory(*docker_arguments(definition)));
  EXPECT_FALSE(asks_for_shared_memory(*docker_arguments(Json::object())));
  EXPECT_EQ(docker_arguments(Json(), of_run)->memory, 1ULL << 30);
  EXPECT_FALSE(docker_arguments(definition, {{"shm_size", "much"}}));
  EXPECT_FALSE(docker_arguments(definition, {{"arguments", {"-e", "=x"}}}));
  EXPECT_EQ(docker_arguments(definition, {{"arguments", {"-e", "HOME"}}})->no_effect, (std::vector<std::string>{"-e"}));
}

TEST(DockerArgumentsTest, Sizes) {
  EXPECT_EQ(parse_size("2g"), 2ULL << 30);
  EXPECT_EQ(parse_size("512M"), 512ULL << 20);
  EXPECT_EQ(parse_size("64mb"), 64ULL << 20);
  EXPECT_EQ(parse_size("4096"), 4096U);
  for (const char* bad : {"", "0", "g", "-1g", "2x", "2gbb", "99999999999999g"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

}  // namespace
}  // namespace roost
