#include "compute/toy_engine.h"

#include "base/fake_clock.h"
#include "compute/engines.h"
#include "compute/provisioning.h"
#include "records/test_database.h"

namespace roost {
namespace {

// Serves what nobody else does, as this machine's engine.
class RestEngine final : public ComputeEngine {
 public:
  bool serves(const Compute&) const override { return true; }
  bool serves(const Node&) const override { return true; }
  Result<NodeHandle> start(const NodeRequest&) override { return NodeHandle{1, 1}; }
  NodeHandles::Look look(const Node&) override { return NodeHandles::Look::kAlive; }
  void end(const Node&) override {}
};

// An engine with a queue of its own that takes every compute of the size "claimed".
class QueueEngine final : public ComputeEngine {
 public:
  bool serves(const Compute& compute) const override { return compute.slurm.is_object(); }
  bool serves(const Node& node) const override { return !node.allocation.empty(); }
  void claim(Compute& compute) const override {
    if (compute.vm_size == "claimed") compute.slurm = Json::object();
  }
  bool has_own_queue() const override { return true; }
  Result<NodeHandle> start(const NodeRequest&) override { return fail(ErrorCode::kInternal, "not by hand"); }
  NodeHandles::Look look(const Node&) override { return NodeHandles::Look::kAlive; }
  void end(const Node&) override {}
};

class ToyEngineTest : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    access_ = std::make_unique<Access>(*db_, clock_, "secret");
    auto toy = std::make_unique<ToyEngine>();
    toy_ = toy.get();
    engines_.add(std::make_unique<QueueEngine>());
    engines_.add(std::move(toy));  // the one line
    engines_.add(std::make_unique<RestEngine>());
    provisioning_ = std::make_unique<Provisioning>(
        ProvisionParts{*db_, *access_, engines_, watch_, wake_, clock_, serving_});
    compute_.workspace = "default";
    compute_.name = "toys";
    compute_.vm_size = "toy";
    write([&](Tx& tx) { return insert_compute(tx, compute_); });
  }

  std::vector<Node> nodes() {
    std::vector<Node> all;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(all, list_nodes(tx, "default", "toys"));
      return {};
    });
    return all;
  }
  void serve(Micros time) {
    for (Micros passed = 0; passed < time; passed += kSecond / 2) {
      clock_.pass(kSecond / 2);
      serving_.tick();
    }
  }

  FakeClock clock_;
  ServingTime serving_{clock_};
  NodeWatch watch_{serving_};
  Wake wake_;
  Wake::Waiter woken_{wake_};
  std::unique_ptr<Access> access_;
  Engines engines_;
  ToyEngine* toy_ = nullptr;
  std::unique_ptr<Provisioning> provisioning_;
  Compute compute_;
};

TEST_F(ToyEngineTest, TheRegistryFindsTheEngineOfAComputeAndOfANode) {
  EXPECT_EQ(&engines_.of(compute_), toy_);
  Compute other;
  EXPECT_NE(&engines_.of(other), toy_);
  provisioning_->add_nodes(compute_, 1);
  const auto all = nodes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(&engines_.of(all.front()), toy_);
  EXPECT_FALSE(provisioning_->is_for_one_run(all.front()));
  Node of_queue;
  of_queue.allocation = "job";
  EXPECT_TRUE(provisioning_->is_for_one_run(of_queue));
}

TEST_F(ToyEngineTest, AnEngineClaimsASizeOnlyIfNoneWasNamed) {
  Compute claimed;
  claimed.vm_size = "claimed";
  EXPECT_TRUE(engines_.choose(claimed).has_own_queue());
  EXPECT_TRUE(claimed.slurm.is_object());
  Compute toys = compute_;
  EXPECT_EQ(&engines_.choose(toys), toy_);
  EXPECT_TRUE(toys.slurm.is_null());
}

TEST_F(ToyEngineTest, NodesGetSlotsTokensAndHandles) {
  provisioning_->add_nodes(compute_, 2);
  const auto all = nodes();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].slot + all[1].slot, 1) << "each slot once";
  for (const auto& node : all) {
    EXPECT_EQ(node.state, NodeState::kPreparing);
    EXPECT_GT(node.pid, 0);
    EXPECT_EQ(node.pid_started, 7);
    EXPECT_EQ(toy_->tokens.at(node.id), access_->node_token(node.id));
    EXPECT_EQ(provisioning_->look(node), NodeHandles::Look::kAlive);
  }
}

TEST_F(ToyEngineTest, AStartThatFailsLeavesNothingAndWaitsAMoment) {
  toy_->refuses = true;
  provisioning_->add_nodes(compute_, 2);
  EXPECT_TRUE(nodes().empty());
  EXPECT_TRUE(woken_.take()) << "whoever waited for the node has to be looked at";
  toy_->refuses = false;
  provisioning_->add_nodes(compute_, 1);
  EXPECT_TRUE(nodes().empty()) << "not at once";
  serve(5 * kSecond);
  provisioning_->add_nodes(compute_, 1);
  EXPECT_EQ(nodes().size(), 1U);
}

TEST_F(ToyEngineTest, AnotherPlaceIsTriedAtOnce) {
  toy_->refuses = toy_->elsewhere = true;
  provisioning_->add_nodes(compute_, 1);
  toy_->refuses = false;
  provisioning_->add_nodes(compute_, 1);
  EXPECT_EQ(nodes().size(), 1U);
}

TEST_F(ToyEngineTest, WhatANodeLeftGoesOnceItIsGone) {
  provisioning_->add_nodes(compute_, 1);
  Node node = nodes().front();
  provisioning_->end(node);
  EXPECT_EQ(provisioning_->look(node), NodeHandles::Look::kGone);
  provisioning_->gone(node, "it ended before it came up");
  EXPECT_TRUE(toy_->nodes.contains(node.id)) << "one that did not come up is left to be looked at";
  provisioning_->add_nodes(compute_, 1);
  EXPECT_EQ(nodes().size(), 1U) << "and the next one waits a moment";
  node.state = NodeState::kIdle;
  provisioning_->gone(node, "left");
  EXPECT_FALSE(toy_->nodes.contains(node.id));
}

}  // namespace
}  // namespace roost
