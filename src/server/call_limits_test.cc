#include "server/call_limits.h"

#include <vector>

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(CallLimits, OneCallerCannotHaveMoreThanItsShare) {
  CallLimits limits({2, 1, 2});
  auto first = limits.admit("a", false, true);
  ASSERT_TRUE(first);
  EXPECT_EQ(limits.admit("a", false, true).error().code, ErrorCode::kUnavailable);
  auto second = limits.admit("a", false, false);
  ASSERT_TRUE(second);
  EXPECT_FALSE(limits.admit("a", false, false));
  EXPECT_TRUE(limits.admit("b", false, true)) << "another one is not concerned";
  first->reset();
  EXPECT_TRUE(limits.admit("a", false, true)) << "what ended makes room";
}

TEST(CallLimits, MachinesHaveMore) {
  CallLimits limits({2, 1, 2});
  std::vector<std::shared_ptr<void>> held;
  for (int i = 0; i < 4; ++i) held.push_back(limits.admit("node", true, i < 2).value());
  EXPECT_FALSE(limits.admit("node", true, false));
  held.clear();
  EXPECT_TRUE(limits.admit("node", true, true));
}

}  // namespace
}  // namespace roost
