#include "runner/attempt_meet.h"

#include <thread>

#include "runner/test_attempt.h"

namespace roost {
namespace {

class AttemptMeetTest : public AttemptTest {
 protected:
  // The order of a node of two, its folder there as staging leaves it.
  std::unique_ptr<Attempt> make(const Json& more) {
    auto attempt = std::make_unique<Attempt>(settings_, clock_, order(more));
    EXPECT_TRUE(make_folders(attempt->folder));
    return attempt;
  }
};

TEST_F(AttemptMeetTest, OneNodeMeetsNobody) {
  auto attempt = make({});
  ASSERT_TRUE(meet_nodes(*attempt).value());
  ASSERT_EQ(attempt->ranks.size(), 1U);
  EXPECT_EQ(read_file(attempt->ranks[0].log).value(), "");
  EXPECT_TRUE(told().empty());
  EXPECT_FALSE(attempt->ports);
}

TEST_F(AttemptMeetTest, ANodeOfSeveralSaysThatItIsReadyAndWaitsForAll) {
  auto attempt = make({{"gang", gang(2, 2)}, {"node_rank", 1}});
  std::thread others([&] {
    await("ready");
    const Json ready = calls("ready").front();
    NodeFacts first = parse_node_facts(ready["facts"]).value();
    EXPECT_EQ(ready["node_rank"], 1);
    EXPECT_EQ(first.name, "here");
    EXPECT_FALSE(first.ports.empty());
    first.name = "there";
    attempt->orders.go({node_facts_json(first), ready["facts"]});
  });
  const auto met = meet_nodes(*attempt);
  others.join();
  ASSERT_TRUE(met) << met.error().message;
  ASSERT_TRUE(*met);
  EXPECT_EQ(attempt->nodes[0].name, "there");
  ASSERT_EQ(attempt->ranks.size(), 2U);
  EXPECT_EQ(attempt->ranks[1].process.rank, 3);
  EXPECT_EQ(attempt->ranks[1].process.variables.at("WORLD_SIZE"), "4");
  EXPECT_TRUE(attempt->outside.empty()) << "the first node removes what they shared";
}

TEST_F(AttemptMeetTest, WhoIsToldToEndMeanwhileDoesNotStart) {
  for (const char* how : {"cancel", "stop", "abandon"}) {
    auto attempt = make({{"gang", gang(2, 1)}});
    std::thread others([&, how = std::string(how)] {
      await("ready");
      how == "cancel" ? attempt->orders.cancel(3) : how == "stop" ? attempt->orders.stop(3) : attempt->orders.abandon();
    });
    const auto met = meet_nodes(*attempt);
    others.join();
    ASSERT_TRUE(met) << how;
    EXPECT_FALSE(*met) << how;
    EXPECT_TRUE(attempt->ranks.empty());
  }
}

TEST_F(AttemptMeetTest, ANodeThatIsTakenAwayDoesNotStart) {
  settings_.is_evicted = [] { return true; };
  auto attempt = make({{"gang", gang(2, 1)}});
  EXPECT_FALSE(meet_nodes(*attempt).value());
  EXPECT_TRUE(attempt->is_evicted);
}

TEST_F(AttemptMeetTest, GivenUpIsNoFailure) {
  tell("ready", {ErrorCode::kGivenUp});
  auto attempt = make({{"gang", gang(2, 1)}});
  EXPECT_FALSE(meet_nodes(*attempt).value());
  EXPECT_TRUE(attempt->orders.is_abandoned());
}

TEST_F(AttemptMeetTest, AGangThatIsNoneIsAnError) {
  auto attempt = make({{"gang", gang(2, 1)}});
  attempt->orders.go(Json::array());
  const auto met = meet_nodes(*attempt);
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().message, "the server named 0 nodes for a run of 2, of which this is number 0");
}

TEST_F(AttemptMeetTest, WhatIsToldComesOnceAndWakes) {
  AttemptOrders orders;
  EXPECT_FALSE(orders.is_to_end());
  EXPECT_TRUE(orders.nodes().is_null());
  orders.command_ended("b", 7);
  EXPECT_EQ(orders.take_ended_commands(), (std::vector<std::pair<std::string, int>>{{"b", 7}}));
  EXPECT_TRUE(orders.take_ended_commands().empty());
  orders.exec("orted");
  EXPECT_EQ(orders.command(), "orted");
  orders.stop_sending();
  EXPECT_TRUE(orders.is_kept() && orders.is_abandoned() && orders.is_to_end());
}

}  // namespace
}  // namespace roost
