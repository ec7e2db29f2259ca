#include "submit/check_resources.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

const Amounts kMachine{4, 16, 64 * 1024};

TEST(CheckResources, TakesWhatANodeHas) {
  EXPECT_TRUE(check_resources({4, 16, 64 * 1024}, 1, "local", kMachine, kMachine));
  EXPECT_TRUE(check_resources({2, 0, 0}, 2, "local", kMachine, kMachine));
  EXPECT_TRUE(check_resources({}, 100, "local", kMachine, kMachine));
}

TEST(CheckResources, SaysWhatThereIs) {
  const Status refused = check_resources({5, 0, 0}, 1, "local", kMachine, kMachine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the run asks for 5 GPUs on each node, but a node of local has 4 GPUs, 16 CPUs and 64 GB of memory; ask for "
            "less, or choose another compute ('roost compute ls' lists them)");
  const Status none = check_resources({1, 0, 0}, 1, "cpu", {0, 2, 7168}, kMachine);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("has no GPU, 2 CPUs and 7 GB of memory"), std::string::npos) << none.error().message;
}

TEST(CheckResources, CountsAllNodesOfTheMachine) {
  const Status refused = check_resources({3, 0, 0}, 2, "local", kMachine, kMachine);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("on each of 2 nodes, which are 6 GPUs in all"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace roost
