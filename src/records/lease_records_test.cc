#include "records/lease_records.h"

#include "records/test_database.h"

namespace roost {
namespace {

class LeaseRecords : public DatabaseFixture {
 protected:
  Status insert(std::int64_t run, std::vector<std::string> gpus, const std::string& node = "n1") {
    return db_->write([&](Tx& tx) { return insert_lease(tx, {run, 1, 0, node, {std::move(gpus), {0, 1}, 100}, {}, {}}); });
  }
  Amounts held() {
    Amounts sum;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(sum, held_amounts(tx));
      return {};
    });
    return sum;
  }
};

TEST_F(LeaseRecords, AGpuIsInOneLeaseOnly) {
  ASSERT_TRUE(insert(1, {"GPU-a", "GPU-b"}));
  EXPECT_FALSE(insert(2, {"GPU-b"}));
  EXPECT_EQ(held(), (Amounts{2, 2, 100}));  // the second left nothing
  write([](Tx& tx) { return free_lease(tx, 1, 1, 0, 5); });
  EXPECT_TRUE(insert(2, {"GPU-b"}));
  EXPECT_EQ(held(), (Amounts{1, 2, 100}));
}

TEST_F(LeaseRecords, WhatWasHadIsKnownAfterwards) {
  ASSERT_TRUE(insert(1, {"GPU-a"}));
  write([](Tx& tx) { return note_enforced(tx, 1, 1, 0, {{"cpus", "affinity"}}); });
  write([](Tx& tx) { return free_lease(tx, 1, 1, 0, 5); });
  write([](Tx& tx) { return free_lease(tx, 1, 1, 0, 9); });
  write([](Tx& tx) -> Status {
    ROOST_TRY(const auto leases, leases_of_attempt(tx, 1, 1));
    EXPECT_EQ(leases.size(), 1U);
    EXPECT_EQ(leases.at(0).lease.gpus, std::vector<std::string>{"GPU-a"});
    EXPECT_EQ(text_at(leases.at(0).enforced, "cpus"), "affinity");
    EXPECT_EQ(leases.at(0).freed, 5);
    return {};
  });
}

TEST_F(LeaseRecords, ALostNodeLeavesItsLeasesBehind) {
  Node node;
  node.id = "n1";
  node.workspace = "default";
  node.compute = "gpu-cluster";
  write([&](Tx& tx) { return insert_node(tx, node, "hash"); });
  ASSERT_TRUE(insert(1, {"GPU-a"}));
  const auto left = [&] {
    std::size_t count = 0;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto leases, leases_without_node(tx));
      count = leases.size();
      return {};
    });
    return count;
  };
  EXPECT_EQ(left(), 0U);
  write([](Tx& tx) { return remove_node(tx, "n1"); });
  EXPECT_EQ(left(), 1U);
  write([](Tx& tx) { return free_lease(tx, 1, 1, 0, 5); });
  EXPECT_EQ(left(), 0U);
}

}  // namespace
}  // namespace roost
