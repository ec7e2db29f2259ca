#include "compute/host_choice.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

constexpr Micros kMinute = 60'000'000;

TEST(HostChoice, ByTurns) {
  HostChoice hosts(3);
  EXPECT_EQ(hosts.choose("a", 0, 1), 0U);
  EXPECT_EQ(hosts.choose("b", 1, 1), 1U);
  EXPECT_EQ(hosts.choose("c", 5, 1), 2U);
}

TEST(HostChoice, PassesOverOneWhereAStartFailedForAWhile) {
  HostChoice hosts(3);
  ASSERT_EQ(hosts.choose("a", 1, kMinute), 1U);
  EXPECT_EQ(hosts.note_failed("a", kMinute), 1U);
  EXPECT_EQ(hosts.choose("b", 1, 2 * kMinute), 2U);
  EXPECT_EQ(hosts.choose("c", 0, 2 * kMinute), 0U);
  EXPECT_EQ(hosts.choose("d", 1, 7 * kMinute), 1U);
}

TEST(HostChoice, WhereNoneIsWellTheTurnCounts) {
  HostChoice hosts(2);
  hosts.choose("a", 0, kMinute);
  hosts.choose("b", 1, kMinute);
  EXPECT_EQ(hosts.note_failed("a", kMinute), 0U);
  EXPECT_EQ(hosts.note_failed("b", kMinute), std::nullopt);
  EXPECT_EQ(hosts.choose("c", 1, kMinute), 1U);
}

TEST(HostChoice, KnowsNothingOfNodesOfAnEarlierServer) {
  HostChoice hosts(1);
  EXPECT_EQ(hosts.note_failed("a", kMinute), std::nullopt);
}

}  // namespace
}  // namespace roost
