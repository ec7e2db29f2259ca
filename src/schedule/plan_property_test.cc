// Thousands of random workloads, each simulated until nothing is left to do. What must hold for any of
// them is checked after every decision.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "schedule/reservation.h"
#include "schedule/test_compute.h"

namespace roost {
namespace {

struct Job {
  QueuedRun run;
  Micros arrives = 0;
  Micros duration = 0;
  std::optional<Micros> started;
};

struct Workload {
  Compute compute;
  Micros boot = 0;  // until a new node is idle
  std::vector<Job> jobs;
  Micros longest = 0;

  bool may_ever_start(const QueuedRun& run) const {
    return run.nodes <= compute.max_nodes &&
           (compute.max_nodes_per_user == 0 || run.nodes <= compute.max_nodes_per_user);
  }
};

class Simulation {
 public:
  explicit Simulation(Workload& work) : work_(work) {
    view_.compute = work.compute;
    view_.waiting = &queue_;
    view_.past = &past_;
  }

  void run() {
    while (const auto next = next_event()) {
      past_until(*next);
      now_ = *next;
      happen();
      // Each decision may allow another, as in the control loop.
      for (int again = 0; again < 50 && decide(); ++again) {}
      if (testing::Test::HasFailure()) return;
    }
    for (const auto& job : work_.jobs) {
      EXPECT_EQ(job.started.has_value(), work_.may_ever_start(job.run)) << "run " << job.run.seq;
    }
  }

 private:
  struct Running {
    Job* job;
    Micros ends;
    std::vector<std::string> nodes;
  };

  std::optional<Micros> next_event() const {
    std::optional<Micros> next;
    const auto consider = [&](Micros time) {
      if (!next || time < *next) next = time;
    };
    if (arrived_ < work_.jobs.size()) consider(work_.jobs[arrived_].arrives);
    for (const auto& [seq, running] : running_) consider(running.ends);
    for (const auto& [id, time] : booting_) consider(time);
    return next;
  }

  void past_until(Micros time) {
    for (const auto& [seq, running] : running_) {
      const auto nodes = static_cast<double>(running.job->run.nodes);
      past_.add(running.job->run.user, nodes, now_, time);
    }
  }

  Node& node(const std::string& id) {
    return *std::find_if(view_.nodes.begin(), view_.nodes.end(), [&](const Node& n) { return n.id == id; });
  }

  void happen() {
    for (; arrived_ < work_.jobs.size() && work_.jobs[arrived_].arrives <= now_; ++arrived_) {
      Job& job = work_.jobs[arrived_];
      job.run.queued = now_;
      queue_.put(job.run);
      waiting_[job.run.seq] = &job;
    }
    for (auto it = booting_.begin(); it != booting_.end();) {
      if (it->second > now_) {
        ++it;
        continue;
      }
      node(it->first).enter(NodeState::kIdle, now_);
      it = booting_.erase(it);
    }
    for (auto it = running_.begin(); it != running_.end();) {
      if (it->second.ends > now_) {
        ++it;
        continue;
      }
      for (const auto& id : it->second.nodes) node(id).enter(NodeState::kIdle, now_);
      it = running_.erase(it);
    }
  }

  bool decide() {
    view_.running.clear();
    for (const auto& [seq, running] : running_) {
      const Job& job = *running.job;
      view_.running.push_back(
          {seq, job.run.user, job.run.nodes, *job.started, latest_end(job.run, *job.started), false});
    }
    const Plan plan = plan_compute(view_, now_);
    check_order(plan);
    for (const auto& start : plan.starts) apply(start);
    for (const auto& id : plan.nodes_to_end) {
      EXPECT_EQ(node(id).state, NodeState::kIdle);
      std::erase_if(view_.nodes, [&](const Node& n) { return n.id == id; });
    }
    for (std::int64_t i = 0; i < plan.nodes_to_add; ++i) add_node();
    check_limits();
    check_head(plan);
    view_.promised = plan.promised;
    return !plan.starts.empty() || (plan.nodes_to_add > 0 && work_.boot == 0);
  }

  void apply(const Plan::Start& start) {
    const auto waits = waiting_.find(start.run);
    ASSERT_NE(waits, waiting_.end()) << "only runs that wait start, and once";
    Job& job = *waits->second;
    const std::set<std::string> ids(start.nodes.begin(), start.nodes.end());
    ASSERT_EQ(static_cast<std::int64_t>(ids.size()), job.run.nodes) << "all its nodes or none";
    for (const auto& id : ids) {
      ASSERT_EQ(node(id).state, NodeState::kIdle) << "a node has one run at a time";
      node(id).enter(NodeState::kRunning, now_);
    }
    job.started = now_;
    past_.note_start(job.run.user, now_);
    running_[start.run] = {&job, now_ + job.duration, start.nodes};
    queue_.remove(start.run);
    waiting_.erase(waits);
    if (!start.backfill) head_since_ = now_;
  }

  void add_node() {
    Node made;
    made.id = "n" + std::to_string(++nodes_made_);
    made.enter(NodeState::kPreparing, now_);
    if (work_.boot == 0) made.enter(NodeState::kIdle, now_);
    if (work_.boot > 0) booting_[made.id] = now_ + work_.boot;
    view_.nodes.push_back(std::move(made));
  }

  void check_limits() {
    EXPECT_LE(static_cast<std::int64_t>(view_.nodes.size()), work_.compute.max_nodes) << "never more nodes";
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> users;
    for (const auto& [seq, running] : running_) {
      users[running.job->run.user].first += running.job->run.nodes;
      users[running.job->run.user].second += 1;
    }
    const auto limit = [](std::int64_t most) { return most > 0 ? most : INT64_MAX; };
    for (const auto& [user, held] : users) {
      EXPECT_LE(held.first, limit(work_.compute.max_nodes_per_user)) << user;
      EXPECT_LE(held.second, limit(work_.compute.max_runs_per_user)) << user;
    }
  }

  // Whoever starts in their turn leaves nobody of higher priority behind but those at their user's limit.
  void check_order(const Plan& plan) {
    std::set<std::int64_t> served;
    for (const auto& start : plan.starts) served.insert(start.run);
    for (const auto& run : plan.coming) served.insert(run.run);
    const bool limited = work_.compute.max_nodes_per_user > 0 || work_.compute.max_runs_per_user > 0;
    for (const auto& start : plan.starts) {
      if (plan.reserved && start.backfill) {
        EXPECT_GE(plan.reserved->priority, start.priority);
        continue;
      }
      for (const auto& [seq, job] : waiting_) {
        if (limited || served.contains(seq) || !work_.may_ever_start(job->run)) continue;
        EXPECT_LE(job->run.priority, start.priority) << "run " << start.run << " went before run " << seq;
      }
    }
  }

  // The first that waits starts once those that were there before it have ended, whatever comes after it;
  // and a time that was promised to it is kept.
  void check_head(const Plan& plan) {
    const bool in_turn = std::any_of(plan.starts.begin(), plan.starts.end(), [](const auto& s) { return !s.backfill; });
    const std::int64_t head = plan.reserved ? plan.reserved->run : 0;
    if (head != head_) head_since_ = now_;
    if (head != 0) {
      EXPECT_LE(now_ - head_since_, work_.longest + work_.boot) << "run " << head << " is starved";
      if (head == head_ && promised_ && !in_turn && plan.coming.empty() && !had_coming_) {
        ASSERT_TRUE(plan.reserved->starts);
        EXPECT_LE(*plan.reserved->starts, std::max(*promised_, now_)) << "run " << head << " was made to wait longer";
      }
    }
    head_ = head;
    promised_ = plan.reserved ? plan.reserved->starts : std::nullopt;
    had_coming_ = !plan.coming.empty();
  }

  Workload& work_;
  Micros now_ = 0;
  ComputeView view_;
  RunQueue queue_;
  PastUse past_;
  std::size_t arrived_ = 0;
  std::map<std::int64_t, Job*> waiting_;
  std::map<std::int64_t, Running> running_;
  std::map<std::string, Micros> booting_;
  int nodes_made_ = 0;
  std::int64_t head_ = 0;
  Micros head_since_ = 0;
  std::optional<Micros> promised_;
  bool had_coming_ = false;
};

enum class Limits { kNone, kAll, kSome };

Workload random_workload(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Workload work;
  work.compute.max_nodes = pick(1, 16);
  work.compute.min_nodes = pick(0, 2) == 0 ? work.compute.max_nodes : 0;
  work.compute.idle_seconds = pick(0, 30);
  work.boot = pick(0, 1) * pick(1, 5) * kSecond;
  if (pick(0, 3) == 0) work.compute.max_nodes_per_user = pick(1, work.compute.max_nodes);
  if (pick(0, 3) == 0) work.compute.max_runs_per_user = pick(1, 4);
  const auto limits = static_cast<Limits>(pick(0, 2));
  const auto users = pick(1, 4);
  const auto priorities = pick(1, 3);
  const auto widest = pick(1, work.compute.max_nodes + 1);
  const auto crowd = pick(20, 400);  // seconds in which all come
  const auto count = pick(5, 60);
  for (std::int64_t i = 0; i < count; ++i) {
    Job job;
    job.arrives = pick(0, crowd) * kSecond;
    job.duration = pick(1, 100) * kSecond;
    const bool limited = limits == Limits::kAll || (limits == Limits::kSome && pick(0, 1) == 0);
    if (limited) job.run.limit = job.duration + pick(0, 60) * kSecond;
    job.run.nodes = pick(0, 2) == 0 ? pick(1, widest) : 1;
    job.run.priority = pick(1, priorities);
    job.run.user = "user" + std::to_string(pick(1, users));
    work.longest = std::max(work.longest, limited ? job.run.limit + kBesidesItsLimit : job.duration);
    work.jobs.push_back(job);
  }
  std::sort(work.jobs.begin(), work.jobs.end(), [](const Job& a, const Job& b) { return a.arrives < b.arrives; });
  std::int64_t seq = 0;
  for (auto& job : work.jobs) job.run.seq = ++seq;
  return work;
}

TEST(PlanProperties, HoldForThousandsOfRandomWorkloads) {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Workload work = random_workload(seed);
    Simulation(work).run();
    if (HasFailure()) return;
  }
}

// One user, one priority: nobody comes between, so a run waits for the runs before it at most, one by one.
TEST(PlanProperties, ARunWaitsForThoseBeforeItAtMost) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Workload work = random_workload(seed);
    work.compute.max_nodes_per_user = work.compute.max_runs_per_user = 0;
    for (auto& job : work.jobs) job.run.user = "ann", job.run.priority = 0;
    Simulation(work).run();
    for (std::size_t i = 0; i < work.jobs.size() && !HasFailure(); ++i) {
      const Job& job = work.jobs[i];
      if (!job.started) continue;
      const auto before = static_cast<Micros>(i);
      EXPECT_LE(*job.started - job.arrives, (before + 1) * (work.longest + work.boot));
    }
    if (HasFailure()) return;
  }
}

// A stream of small endless runs that never stops, and one that needs the whole compute.
TEST(PlanProperties, AStreamOfSmallRunsDoesNotStarveABigOne) {
  for (const bool limited : {false, true}) {
    Workload work;
    work.compute.max_nodes = 8;
    work.longest = 50 * kSecond + kBesidesItsLimit;
    std::mt19937 random(7);
    for (std::int64_t i = 1; i <= 3000; ++i) {
      Job job;
      job.arrives = i * kSecond;
      job.duration = std::uniform_int_distribution<std::int64_t>(5, 50)(random) * kSecond;
      if (limited) job.run.limit = job.duration;
      job.run.seq = i;
      job.run.user = "user" + std::to_string(i % 5);
      if (i == 500) job.run.nodes = 8;
      work.jobs.push_back(job);
    }
    Simulation(work).run();
    const Job& big = work.jobs[499];
    ASSERT_TRUE(big.started);
    const auto since = static_cast<double>(*big.started - big.arrives) / kSecond;
    // Three times what comes is too much for the compute: the queue grows for ever, the wait must not.
    EXPECT_LT(since, 3600) << (limited ? "with" : "without") << " time limits";
  }
}

TEST(PlanProperties, FairShareConverges) {
  Workload work;
  work.compute.max_nodes = 10;
  std::mt19937 random(11);
  // Ann asks for ten times as much as Bob, and Bob for more than half of the compute.
  for (std::int64_t i = 1; i <= 6000; ++i) {
    Job job;
    job.arrives = (i / 11) * 10 * kSecond;
    job.duration = std::uniform_int_distribution<std::int64_t>(20, 160)(random) * kSecond;
    job.run.user = i % 11 == 0 ? "bob" : "ann";
    job.run.seq = i;
    if (job.run.user == "bob") job.duration *= 2;
    work.longest = std::max(work.longest, job.duration);
    work.jobs.push_back(job);
  }
  work.jobs.resize(2200);
  Simulation simulation(work);
  simulation.run();
  // What they had while both waited.
  double ann_while_both = 0;
  double bob_while_both = 0;
  Micros bob_last = 0;
  for (const auto& job : work.jobs) {
    if (job.run.user == "bob" && job.started) bob_last = std::max(bob_last, *job.started);
  }
  for (const auto& job : work.jobs) {
    if (!job.started || *job.started > bob_last) continue;
    (job.run.user == "bob" ? bob_while_both : ann_while_both) += static_cast<double>(job.duration);
  }
  EXPECT_NEAR(bob_while_both / (ann_while_both + bob_while_both), 0.5, 0.05);
}

// A queue of which nothing fits but all must be looked at: the first run waits for all nodes.
std::int64_t steps_for(std::int64_t waiting) {
  TestCompute compute(0, 1000);
  compute.idle(1).run(1, 999, {}, "user0");
  compute.wait(2, 1000, 9, 0, "user0");
  for (std::int64_t i = 0; i < waiting; ++i) {
    compute.wait(10 + i, 1 + i % 7, i % 4, 0, "user" + std::to_string(i % 100));
  }
  const Plan plan = compute.plan(kSecond);
  EXPECT_TRUE(plan.starts.empty());
  return plan.steps;
}

TEST(PlanProperties, WorkGrowsNoFasterThanNLogN) {
  std::int64_t before = steps_for(1000);
  for (std::int64_t waiting = 2000; waiting <= 128'000; waiting *= 2) {
    const std::int64_t now = steps_for(waiting);
    const auto n = static_cast<double>(waiting);
    EXPECT_LT(static_cast<double>(now), 3 * n * std::log2(n)) << waiting;
    EXPECT_LT(static_cast<double>(now), 2.4 * static_cast<double>(before)) << waiting;
    before = now;
  }
}

}  // namespace
}  // namespace roost
