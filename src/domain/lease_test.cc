#include "domain/lease.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

const Inventory kMachine{{"GPU-a", "GPU-b", "GPU-c", "GPU-d"}, {0, 1, 4, 5}, 1000};

TEST(Lease, TakesWhatNobodyHas) {
  const Lease held{{"GPU-a", "GPU-c"}, {1}, 300};
  const auto leases = choose_leases(kMachine, {held}, {2, 2, 600}, 1);
  ASSERT_TRUE(leases);
  EXPECT_EQ(leases->front().gpus, (std::vector<std::string>{"GPU-b", "GPU-d"}));
  EXPECT_EQ(leases->front().cpu_set, (std::vector<int>{0, 4}));
  EXPECT_EQ(leases->front().memory_mb, 600);
}

TEST(Lease, IsRefusedIfAnythingIsMissing) {
  const Lease held{{"GPU-a"}, {0, 1}, 300};
  EXPECT_FALSE(choose_leases(kMachine, {held}, {4, 0, 0}, 1));
  EXPECT_FALSE(choose_leases(kMachine, {held}, {0, 3, 0}, 1));
  EXPECT_FALSE(choose_leases(kMachine, {held}, {0, 0, 701}, 1));
  EXPECT_TRUE(choose_leases(kMachine, {held}, {3, 2, 700}, 1));
}

TEST(Lease, OfSeveralNodesNeverOverlaps) {
  const auto leases = choose_leases(kMachine, {}, {3, 4, 200}, 2);
  ASSERT_TRUE(leases);
  EXPECT_EQ((*leases)[0].gpus, (std::vector<std::string>{"GPU-a", "GPU-b"}));
  EXPECT_EQ((*leases)[1].gpus, (std::vector<std::string>{"GPU-c"}));
  EXPECT_EQ((*leases)[0].cpu_set, (std::vector<int>{0, 1}));
  EXPECT_EQ((*leases)[1].cpu_set, (std::vector<int>{4, 5}));
}

TEST(Lease, ComesBackFromItsJson) {
  const Lease lease{{"MIG-1", "MIG-2"}, {3, 7}, 512};
  const Lease read = lease_from(lease_json(lease));
  EXPECT_EQ(read.gpus, lease.gpus);
  EXPECT_EQ(read.cpu_set, lease.cpu_set);
  EXPECT_EQ(read.memory_mb, lease.memory_mb);
  EXPECT_TRUE(lease_from(Json()).gpus.empty());
}

}  // namespace
}  // namespace roost
