#include "endpoints/endpoint_loop.h"

#include "base/fake_clock.h"
#include "endpoints/endpoint_state.h"
#include "records/test_database.h"

namespace roost {
namespace {

class FakeFront final : public FrontLink {
 public:
  Status ensure() override { return {}; }
  Result<Json> statistics() override {
    return Json{{"generation", generation}, {"started", 1}, {"endpoints", Json::array()}};
  }
  std::int64_t generation = 0;
};

// The loop with a real database and everything else played.
class EndpointLoopTest : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    loop_ = std::make_unique<EndpointLoop>(EndpointParts{
        *db_, changes_, clock_, loads_, statistics_, front_,
        [this](const ReplicaStart& order) { return start(order); },
        [this](const std::string& run, const std::string&) { ended_.push_back(run); },
        [](Tx&, const std::string&, const DeploymentSpec&) { return Result<std::vector<DeployedModel>>(std::vector<DeployedModel>{}); },
        [](Tx&, const std::string&, const std::string&) { return true; },
        [this](const std::string& text) -> Status {
          routes_ = stored_json(text);
          front_.generation = integer_at(routes_, "generation");
          return {};
        }});
  }

  Status start(const ReplicaStart& order) {
    if (refusal_) return fail(*refusal_);
    orders_.push_back(order.spec);
    Run run = add_run();
    return db_->write([&](Tx& tx) -> Status {
      ROOST_TRY(const bool may, order.may_start(tx));
      return may ? order.was_made(tx, run) : Status();
    });
  }

  void add_endpoint() {
    EndpointRow endpoint;
    endpoint.workspace = "default";
    endpoint.spec.name = "birds";
    endpoint.spec.auth = "none";
    DeploymentSpec deployment;
    deployment.runtime = "python";
    deployment.snapshot = std::string(64, 'a');
    deployment.entry_script = "score.py";
    deployment.revision = 1;
    endpoint.spec.deployments = {deployment};
    ASSERT_TRUE(settle_traffic(endpoint.spec));
    write([&](Tx& tx) { return insert_endpoint(tx, endpoint); });
  }
  std::vector<ReplicaRow> replicas() {
    std::vector<ReplicaRow> found;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(found, open_replicas(tx));
      return {};
    });
    return found;
  }
  void say_ready(ReplicaRow replica) {
    replica.state = "ready";
    replica.address = "127.0.0.1";
    replica.port = 4711;
    write([&](Tx& tx) { return save_replica(tx, replica); });
  }

  FakeClock clock_;
  Changes changes_;
  ReplicaLoads loads_;
  FrontStatistics statistics_;
  FakeFront front_;
  std::vector<RunSpec> orders_;
  std::vector<std::string> ended_;
  std::optional<Error> refusal_;
  Json routes_;
  std::unique_ptr<EndpointLoop> loop_;
};

TEST_F(EndpointLoopTest, NothingIsDoneWithoutEndpoints) {
  EXPECT_FALSE(loop_->turn());
  EXPECT_TRUE(routes_.is_null());
}

TEST_F(EndpointLoopTest, FromAnEndpointToItsRoute) {
  add_endpoint();
  EXPECT_TRUE(loop_->turn());
  ASSERT_EQ(orders_.size(), 1U);
  EXPECT_EQ(orders_[0].command, "\"$ROOST_PROGRAM\" serve");
  const Json order = stored_json(text_at(orders_[0].environment_variables, "ROOST_REPLICA"));
  EXPECT_EQ(order["endpoint"], "birds");
  EXPECT_EQ(order["entry_script"], "score.py");
  EXPECT_TRUE(routes_["endpoints"][0]["deployments"][0]["replicas"].empty());
  loop_->turn();
  EXPECT_EQ(orders_.size(), 1U) << "it is there already";
  say_ready(replicas().at(0));
  loop_->turn();
  EXPECT_EQ(routes_["endpoints"][0]["deployments"][0]["replicas"][0]["port"], 4711);
}

TEST_F(EndpointLoopTest, WhatCannotBeStartedSaysWhy) {
  add_endpoint();
  refusal_ = Error{ErrorCode::kNotFound, "there is no model birds:3"};
  loop_->turn();
  loop_->turn();
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const EndpointRow endpoint, find_endpoint(tx, "default", "birds"));
    const ServiceState state = endpoint_state(endpoint, {}, clock_.now());
    EXPECT_EQ(state.name, "Failed");
    EXPECT_EQ(state.error["message"], "there is no model birds:3");
    return {};
  });
}

TEST_F(EndpointLoopTest, TheReplicasOfADeletedEndpointAreEnded) {
  add_endpoint();
  loop_->turn();
  say_ready(replicas().at(0));
  loop_->turn();
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const EndpointRow endpoint, find_endpoint(tx, "default", "birds"));
    return delete_endpoint(tx, endpoint.seq);
  });
  loop_->turn();
  EXPECT_TRUE(routes_["endpoints"].empty()) << "nobody is sent there any more";
  EXPECT_TRUE(ended_.empty());
  clock_.pass(3 * kSecond);
  loop_->turn();
  EXPECT_EQ(ended_.size(), 1U);
}

}  // namespace
}  // namespace roost
