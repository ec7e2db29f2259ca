#include "front/replica_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "front/fake_loop.h"

namespace roost {
namespace {

using std::chrono::milliseconds;
using Refusal = ReplicaQueue::Refusal;

class ReplicaQueueTest : public testing::Test {
 protected:
  // What a request was told.
  struct Told {
    std::shared_ptr<FrontReplica> replica;
    std::optional<Refusal> why;
    ReplicaQueue::Ticket ticket;
    bool is_waiting() const { return !why; }
  };
  ReplicaQueue::Ready ready(Told& told) {
    return [&told](std::shared_ptr<FrontReplica> replica, Refusal why) {
      told.replica = std::move(replica);
      told.why = why;
    };
  }
  std::unique_ptr<Told> take() {
    auto told = std::make_unique<Told>();
    told->ticket = queue.take(ready(*told));
    return told;
  }
  void set(int replicas, ReplicaQueue::Settings settings = {}) {
    std::vector<TableReplica> places;
    for (int i = 0; i < replicas; ++i) {
      places.push_back({"run" + std::to_string(i), "127.0.0.1", static_cast<std::uint16_t>(4000 + i), "k"});
    }
    queue.set(settings, places);
  }
  ReplicaQueue::Settings starting() {
    ReplicaQueue::Settings settings;
    settings.is_starting = true;
    return settings;
  }

  FakeLoop loop;
  ReplicaQueue queue{loop};
};

TEST_F(ReplicaQueueTest, GivesTheOneWithTheLeastToDo) {
  ReplicaQueue::Settings settings;
  settings.max_concurrent = 2;
  set(2, settings);
  const auto a = take();
  const auto b = take();
  const auto c = take();
  EXPECT_NE(a->replica, b->replica);
  EXPECT_EQ(a->replica, c->replica);
  queue.give_back(a->replica);
  queue.give_back(c->replica);
  EXPECT_NE(b->replica, take()->replica);
  EXPECT_EQ(2, queue.in_flight());
}

TEST_F(ReplicaQueueTest, WaitsInOrderForOneThatIsBusy) {
  set(1);
  const auto first = take();
  const auto second = take();
  const auto third = take();
  EXPECT_TRUE(second->is_waiting());
  EXPECT_EQ(2U, queue.waiting());
  queue.give_back(first->replica);
  ASSERT_TRUE(second->replica);
  EXPECT_TRUE(third->is_waiting());
  loop.pass(milliseconds(600));
  EXPECT_EQ(Refusal::kBusyTooLong, third->why);
  EXPECT_EQ(0U, queue.waiting());
}

TEST_F(ReplicaQueueTest, HasALimit) {
  ReplicaQueue::Settings settings;
  settings.limit = 1;
  set(1, settings);
  const auto first = take();
  const auto second = take();
  EXPECT_TRUE(second->is_waiting());
  EXPECT_EQ(Refusal::kQueueFull, take()->why);
}

TEST_F(ReplicaQueueTest, HoldsUntilTheFirstReplicaIsUp) {
  EXPECT_EQ(Refusal::kNoReplica, take()->why);
  set(0, starting());
  const auto first = take();
  const auto second = take();
  EXPECT_EQ(2U, queue.held());
  loop.pass(milliseconds(30'000));
  EXPECT_TRUE(first->is_waiting());
  set(1);
  EXPECT_TRUE(first->replica);
  EXPECT_TRUE(second->is_waiting());
  // It had 60 seconds to wait and keeps them.
  loop.pass(milliseconds(20'000));
  EXPECT_TRUE(second->is_waiting());
  queue.give_back(first->replica);
  EXPECT_TRUE(second->replica);
}

TEST_F(ReplicaQueueTest, TellsThatStartingFailedOrTookTooLong) {
  set(0, starting());
  const auto first = take();
  set(0);
  EXPECT_EQ(Refusal::kNoReplica, first->why);
  set(0, starting());
  const auto second = take();
  loop.pass(milliseconds(60'001));
  EXPECT_EQ(Refusal::kStartsTooLong, second->why);
}

TEST_F(ReplicaQueueTest, PassesOverOneThatCannotBeReached) {
  set(2);
  const auto first = take();
  const auto dead = first->replica;
  Told again;
  queue.unreachable(dead, std::chrono::steady_clock::now(), ready(again), again.ticket);
  ASSERT_TRUE(again.replica);
  EXPECT_NE(dead, again.replica);
  // The dead one is left alone, for a while.
  const auto waiting = take();
  EXPECT_TRUE(waiting->is_waiting());
  loop.pass(milliseconds(250));
  EXPECT_EQ(dead, waiting->replica);
}

TEST_F(ReplicaQueueTest, WaitsForAnotherOneWhenNoneCanBeReached) {
  set(1);
  const auto first = take();
  const auto behind = take();
  const auto dead = first->replica;
  Told again;
  queue.unreachable(dead, std::chrono::steady_clock::now(), ready(again), again.ticket);
  EXPECT_TRUE(again.is_waiting());
  // Those behind it wait as long, and longer than for one that is busy.
  loop.pass(milliseconds(100));
  TableReplica fresh{"other", "127.0.0.1", 5000, "k"};
  queue.set({}, {fresh});
  ASSERT_TRUE(again.replica);
  EXPECT_EQ("other", again.replica->place.run);
  EXPECT_TRUE(behind->is_waiting());
  queue.give_back(again.replica);
  EXPECT_TRUE(behind->replica);
}

TEST_F(ReplicaQueueTest, KeepsWhatReplicasDoOverATable) {
  set(1);
  const auto first = take();
  set(2);
  const auto second = take();
  EXPECT_NE(first->replica, second->replica);
  EXPECT_TRUE(take()->is_waiting());
}

TEST_F(ReplicaQueueTest, ForgetsWhoIsAbandonedAndTellsAllWhenItStops) {
  set(1);
  const auto first = take();
  const auto gone = take();
  const auto stays = take();
  queue.abandon(gone->ticket);
  queue.stop();
  EXPECT_TRUE(gone->is_waiting());
  EXPECT_EQ(Refusal::kStopping, stays->why);
  EXPECT_EQ(Refusal::kStopping, take()->why);
  queue.give_back(first->replica);
}

}  // namespace
}  // namespace roost
