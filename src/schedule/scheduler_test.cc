#include "schedule/scheduler.h"

#include "base/fake_clock.h"
#include "records/attempt_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

// Starts runs in the records as far as a scheduler can see it, and notes what it was asked.
class NotedPlacement final : public Placement {
 public:
  Status start(Tx& tx, Run& run, std::vector<Node>& nodes, Micros now) override {
    run.attempt += 1;
    std::vector<std::string> names;
    for (auto& node : nodes) {
      names.push_back(node.id);
      node.enter(NodeState::kRunning, now);
      ROOST_CHECK(save_node(tx, node));
    }
    started.emplace_back(run.id, names);
    ROOST_CHECK(insert_attempt(tx, {run.seq, run.attempt, names.front(), true, now, {}, {}}, names, "token of " + run.id, now));
    return save_run(tx, run);
  }
  Status preempt(Tx&, Node& node, const std::string& why, Micros, Preempted& preempted) override {
    taken.push_back(why);
    preempted.nodes.push_back(node.id);
    return {};
  }
  Status cancel(Tx&, Run&, const std::string&, Micros, const Json&) override { return {}; }
  Status lose(const Node&, const std::string&) override { return {}; }

  std::vector<std::pair<std::string, std::vector<std::string>>> started;
  std::vector<std::string> taken;
};

class SchedulerTest : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    scheduler_.emplace(parts());
  }
  ScheduleParts parts(std::int64_t local_nodes = 0) {
    return {*db_, placement_, changes_, clock_, serving_, [this](const Compute&) { return decides_here_; }, local_nodes};
  }
  // Nodes that the cycle wants for the compute.
  std::int64_t cycle() {
    const auto growth = scheduler_->cycle();
    return growth.empty() ? 0 : growth.front().nodes;
  }
  Node node(const std::string& id) {
    Node found;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(found, find_node(tx, id));
      return {};
    });
    return found;
  }
  void change(const std::function<void(Compute&)>& work) {
    write([&](Tx& tx) -> Status {
      ROOST_TRY(Compute compute, find_compute(tx, "default", "gpu-cluster"));
      work(compute);
      return save_compute(tx, compute);
    });
  }
  void serve(Micros time) {
    for (Micros passed = 0; passed < time; passed += kSecond / 2) {
      clock_.pass(kSecond / 2);
      serving_.tick();
    }
  }
  void make_idle(const std::string& id) {
    write([&](Tx& tx) -> Status {
      ROOST_TRY(Node found, find_node(tx, id));
      found.enter(NodeState::kIdle, clock_.now());
      return save_node(tx, found);
    });
  }

  FakeClock clock_;
  ServingTime serving_{clock_};
  Changes changes_;
  NotedPlacement placement_;
  bool decides_here_ = true;
  std::optional<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, ARunThatFindsNoNodeIsProvisioningAndANodeIsWanted) {
  const Run run = add_run();
  EXPECT_EQ(cycle(), 1);
  EXPECT_EQ(reload(run).status, RunStatus::kProvisioning);
  EXPECT_TRUE(placement_.started.empty());
}

TEST_F(SchedulerTest, ARunWhoseNodeGoesToAnotherIsQueuedAgain) {
  change([](Compute& compute) { compute.max_nodes = 1; });
  const Run run = add_run();
  EXPECT_EQ(cycle(), 1);
  EXPECT_EQ(reload(run).status, RunStatus::kProvisioning);
  const Run urgent = add_run();
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("UPDATE run SET priority = 9 WHERE id = ?", urgent.id));
    return {};
  });
  scheduler_.emplace(parts());  // which reads the queue anew
  make_idle(add_node("n1").id);
  cycle();
  ASSERT_EQ(placement_.started.size(), 1U);
  EXPECT_EQ(placement_.started.front().first, urgent.id);
  EXPECT_EQ(reload(run).status, RunStatus::kQueued) << "nothing comes up for it";
  cycle();
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
}

TEST_F(SchedulerTest, ARunStartsOnAnIdleNodeAtOnceAndThoseWhoFollowItAreTold) {
  const Run run = add_run();
  make_idle(add_node("n1").id);
  int told = 0;
  const auto node = changes_.hub().subscribe("node/n1", [&] { ++told; });
  const auto runs = changes_.hub().subscribe("run/" + run.id, [&] { ++told; });
  EXPECT_EQ(cycle(), 0);
  ASSERT_EQ(placement_.started.size(), 1U);
  EXPECT_EQ(placement_.started.front().first, run.id);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(cycle(), 0) << "the run waits no more";
  EXPECT_EQ(placement_.started.size(), 1U);
}

TEST_F(SchedulerTest, WhereAnotherQueueDecidesNothingIs) {
  decides_here_ = false;
  const Run run = add_run();
  make_idle(add_node("n1").id);
  EXPECT_EQ(cycle(), 0);
  EXPECT_TRUE(placement_.started.empty());
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
}

TEST_F(SchedulerTest, ANodeLeavesWhenItWasIdleForTooLongByTheTimeThatWasServed) {
  change([](Compute& compute) { compute.idle_seconds = 60; });
  make_idle(add_node("n1").id);
  cycle();
  clock_.wall += 3600 * kSecond;
  cycle();
  EXPECT_EQ(node("n1").state, NodeState::kIdle) << "a step of the wall clock is no idleness";
  serve(59 * kSecond);
  cycle();
  EXPECT_EQ(node("n1").state, NodeState::kIdle);
  serve(2 * kSecond);
  cycle();
  EXPECT_EQ(node("n1").state, NodeState::kLeaving);
}

TEST_F(SchedulerTest, ADrainedComputeIsDeletedAfterItsLastRunAndGoesWithItsLastNode) {
  const Run run = add_run();
  change([](Compute& compute) { compute.draining = true; });
  cycle();
  change([](Compute& compute) { EXPECT_FALSE(compute.deleting) << "a run waits there"; });
  Run stored = reload(run);
  write([&](Tx& tx) { return move_run(tx, stored, RunStatus::kCanceled, "", 5); });
  cycle();
  change([](Compute& compute) { EXPECT_TRUE(compute.deleting); });
  cycle();
  write([&](Tx& tx) -> Status {
    EXPECT_FALSE(find_compute(tx, "default", "gpu-cluster"));
    return {};
  });
}

TEST_F(SchedulerTest, OnAFullMachineADedicatedRunTakesThePlaceOfALowPriorityOne) {
  scheduler_.emplace(parts(1));
  write([&](Tx& tx) -> Status {
    Compute low;
    low.workspace = "default";
    low.name = "cheap";
    low.vm_priority = "lowpriority";
    return insert_compute(tx, low);
  });
  Run cheap = add_run();
  write([&](Tx& tx) -> Status {
    Node node;
    node.id = "c1";
    node.workspace = "default";
    node.compute = "cheap";
    node.enter(NodeState::kIdle, clock_.now());
    ROOST_CHECK(insert_node(tx, node, "hash of c1"));
    cheap.compute = "cheap";
    ROOST_TRY(const auto rows, tx.run("UPDATE run SET compute = 'cheap' WHERE seq = ?", cheap.seq));
    EXPECT_EQ(rows, 1);
    return {};
  });
  cycle();
  ASSERT_EQ(placement_.started.size(), 1U);
  const Run dear = add_run();
  EXPECT_EQ(cycle(), 0) << "there is no room yet";
  ASSERT_EQ(placement_.taken.size(), 1U);
  EXPECT_NE(placement_.taken.front().find(dear.id), std::string::npos) << "the history says for whom";
}

}  // namespace
}  // namespace roost
