#include "schedule/machine_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "domain/lease.h"
#include "schedule/plan.h"
#include "schedule/test_compute.h"

namespace roost {
namespace {

QueuedRun asks(std::int64_t seq, std::optional<std::int64_t> gpus, std::int64_t nodes = 1) {
  QueuedRun run{seq, 0, nodes, 0, seq, "ann", false};
  run.ask.gpus = gpus;
  return run;
}

MachineRoom room(std::int64_t total, std::int64_t free) { return {{total, 8, 1000}, {free, 8, 1000}, {}, {}}; }

TEST(RoomShare, GivesWhatIsAskedForOnAllNodes) {
  RoomShare share(room(4, 4), false, std::nullopt, 0);
  EXPECT_EQ(share.take(asks(1, 2, 2)), (Amounts{4, 0, 0}));
  EXPECT_FALSE(share.take(asks(2, 1)));
  EXPECT_EQ(share.claim()->run, 2);
}

TEST(RoomShare, GivesWhatNobodyHasToThoseWhoDidNotAsk) {
  RoomShare share(room(4, 3), false, std::nullopt, 0);
  EXPECT_EQ(share.take(asks(1, {})), (Amounts{3, 0, 0}));
  EXPECT_EQ(share.take(asks(2, {})), Amounts());  // it starts all the same, as on a machine without GPUs
  EXPECT_EQ(share.take(asks(3, 0)), Amounts());
}

TEST(RoomShare, AReplicaLeavesTheOthersTheirs) {
  RoomShare share(room(4, 4), false, std::nullopt, 0);
  QueuedRun replica = asks(1, {});
  replica.is_replica = true;
  EXPECT_EQ(share.take(replica), (Amounts{1, 0, 0}));
}

TEST(RoomShare, WhoIsBehindGetsOnlyWhatTheFirstWillNeverNeed) {
  RoomShare share(room(4, 2), false, std::nullopt, 0);
  EXPECT_FALSE(share.take(asks(1, 3)));
  EXPECT_EQ(share.take(asks(2, 1)), (Amounts{1, 0, 0}));
  EXPECT_FALSE(share.take(asks(3, 1)));            // one is free, and kept
  EXPECT_EQ(share.take(asks(4, {})), Amounts());   // nor is it spare
}

TEST(RoomShare, AClaimInAnotherComputeHoldsForThoseThatComeLater) {
  MachineRoom shared = room(4, 2);
  shared.first = RoomClaim{10, false, 0, {4, 0, 0}, 0};
  RoomShare share(shared, false, std::nullopt, 5);
  EXPECT_TRUE(share.take(asks(9, 1)));    // older
  EXPECT_FALSE(share.take(asks(11, 1)));  // younger
}

TEST(RoomShare, CountsWhatWasStartedSinceTheClaim) {
  MachineRoom shared = room(8, 4);
  shared.first = RoomClaim{10, false, 0, {6, 0, 0}, 0};
  shared.late = {1, 0, 0};
  RoomShare share(shared, false, std::nullopt, 5);
  EXPECT_TRUE(share.take(asks(11, 1)));
  EXPECT_FALSE(share.take(asks(12, 1)));
}

TEST(RoomShare, WhatIsTooMuchHoldsUpNobody) {
  TestCompute compute(0, 4);
  compute.view.room = room(2, 2);
  compute.idle(2);
  compute.queue.put(asks(1, 3));
  compute.queue.put(asks(2, 2));
  EXPECT_EQ(started(compute.plan()), (std::vector<std::int64_t>{2}));
  EXPECT_FALSE(compute.plan().claim);
}

TEST(RoomShare, WhoWaitsForGpusLeavesTheNodesToOthers) {
  TestCompute compute(0, 2);
  compute.view.room = room(4, 1);
  compute.idle(2);
  compute.queue.put(asks(1, 2));
  compute.queue.put(asks(2, 0));
  const Plan plan = compute.plan();
  EXPECT_EQ(started(plan), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(plan.claim->run, 1);
  EXPECT_EQ(plan.promised, (std::vector<std::int64_t>{1}));
}

// Runs of several computes come and go on one machine. Whatever happens: nothing is given out twice, and every run that
// could ever start does.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {
    for (int i = 0; i < 6; ++i) all_.gpus.push_back("GPU-" + std::to_string(i));
    for (int i = 0; i < 8; ++i) all_.cpus.push_back(i);
    all_.memory_mb = 1000;
  }

  void submit(std::int64_t seq, std::int64_t most_gpus) {
    QueuedRun run = asks(seq, {}, 1 + pick(2));
    if (pick(3) > 0) run.ask.gpus = pick(static_cast<int>(most_gpus / run.nodes) + 1);
    if (pick(2) == 0) run.ask.cpus = 1 + pick(4);
    if (pick(2) == 0) run.ask.memory_mb = 100 * (1 + pick(5));
    waiting_[static_cast<std::size_t>(pick(3))].put(run);
    ++in_queue_;
  }

  void cycle(Micros now) {
    Amounts held;
    for (const auto& [run, leases] : held_) {
      for (const auto& lease : leases) held = held + lease.amounts();
    }
    MachineRoom shared{all_.amounts(), all_.amounts() - held, claim_, late(claim_)};
    std::vector<std::size_t> order = {0, 1, 2};
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return claim_ && waiting_[i].find(claim_->run); });
    for (const std::size_t i : order) {
      TestCompute compute(0, 6);
      compute.idle(6);
      compute.view.waiting = &waiting_[i];
      compute.view.room = shared;
      const Plan plan = compute.plan(now);
      shared.free = shared.free - plan.taken;
      shared.late = shared.late + plan.taken;
      if (shared.first && waiting_[i].find(shared.first->run)) shared.first.reset();
      if (plan.claim && (!shared.first || plan.claim->comes_before(*shared.first))) {
        shared.first = plan.claim;
        shared.late = late(shared.first);
      }
      for (const auto& start : plan.starts) {
        std::vector<Lease> others;
        for (const auto& [run, leases] : held_) others.insert(others.end(), leases.begin(), leases.end());
        const auto leases = choose_leases(all_, others, start.takes, std::ssize(start.nodes));
        ASSERT_TRUE(leases) << "planned what is not there";
        held_[start.run] = *leases;
        since_[start.run] = now;
        waiting_[i].remove(start.run);
        --in_queue_;
      }
    }
    claim_ = shared.first;
  }

  void end_one() {
    if (held_.empty()) return;
    auto run = held_.begin();
    std::advance(run, pick(static_cast<int>(held_.size())));
    held_.erase(run);
  }

  bool none_twice() const {
    std::vector<std::string> gpus;
    std::vector<int> cpus;
    std::int64_t memory = 0;
    for (const auto& [run, leases] : held_) {
      for (const auto& lease : leases) {
        gpus.insert(gpus.end(), lease.gpus.begin(), lease.gpus.end());
        cpus.insert(cpus.end(), lease.cpu_set.begin(), lease.cpu_set.end());
        memory += lease.memory_mb;
      }
    }
    std::sort(gpus.begin(), gpus.end());
    std::sort(cpus.begin(), cpus.end());
    return std::adjacent_find(gpus.begin(), gpus.end()) == gpus.end() &&
           std::adjacent_find(cpus.begin(), cpus.end()) == cpus.end() && memory <= all_.memory_mb;
  }
  bool waits(std::int64_t run) const {
    return std::any_of(waiting_, waiting_ + 3, [&](const RunQueue& queue) { return queue.find(run) != nullptr; });
  }
  std::int64_t in_queue() const { return in_queue_; }
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

 private:
  Amounts late(const std::optional<RoomClaim>& claim) const {
    Amounts sum;
    for (const auto& [run, leases] : held_) {
      if (!claim || since_.at(run) < claim->since) continue;
      for (const auto& lease : leases) sum = sum + lease.amounts();
    }
    return sum;
  }

  std::mt19937 random_;
  Inventory all_;
  RunQueue waiting_[3];
  std::map<std::int64_t, std::vector<Lease>> held_;
  std::map<std::int64_t, Micros> since_;
  std::optional<RoomClaim> claim_;
  std::int64_t in_queue_ = 0;
};

TEST(RoomShareProperty, NothingIsGivenOutTwiceAndEveryRunStarts) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Machine machine(seed);
    Micros now = 1;
    for (std::int64_t seq = 1; seq <= 40; ++seq) {
      machine.submit(seq, 6);
      machine.cycle(++now);
      ASSERT_TRUE(machine.none_twice()) << seed;
      if (machine.pick(2) == 0) machine.end_one();
    }
    for (int step = 0; step < 400 && machine.in_queue() > 0; ++step) {
      machine.end_one();
      machine.cycle(++now);
      ASSERT_TRUE(machine.none_twice()) << seed;
    }
    EXPECT_EQ(machine.in_queue(), 0) << seed;
  }
}

TEST(RoomShareProperty, ABigRunIsNotOvertakenForEver) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Machine machine(seed);
    Micros now = 1;
    for (std::int64_t seq = 1; seq <= 10; ++seq) machine.submit(seq, 2);
    machine.cycle(++now);
    machine.submit(11, 6);
    // Small ones keep coming; one run ends for each.
    std::int64_t seq = 12;
    int steps = 0;
    while (machine.waits(11) && ++steps < 200) {
      machine.submit(seq++, 2);
      machine.cycle(++now);
      machine.end_one();
    }
    EXPECT_LT(steps, 200) << seed;
  }
}

}  // namespace
}  // namespace roost
