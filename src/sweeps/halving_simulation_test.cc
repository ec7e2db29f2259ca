// Sweeps of simulated learning curves under ASHA and Hyperband, driven as a live sweep drives them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "sweeps/draws.h"
#include "sweeps/test_trials.h"

namespace roost {
namespace {

constexpr std::int64_t kTrials = 243;
constexpr std::int64_t kEpochs = 243;
constexpr std::uint64_t kSeeds = 20;

using Curve = std::function<double(std::int64_t trial, std::int64_t epoch)>;

class Simulation {
 public:
  Simulation(PolicySettings policy, Curve curve) : policy_(std::move(policy)), curve_(std::move(curve)) {}

  // A worker that is free takes the next trial at once. Some trials have epochs up to twice as long as those of others.
  void run(int workers) {
    for (free_ = workers; fill(); log_one(running_.top())) {
    }
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (trials_[i].state != TrialState::kPaused) continue;
      const Verdict verdict = judge_rest(policy_, Goal::kMaximize, trials_, i);
      EXPECT_EQ(verdict.kind, Verdict::kStop);
      EXPECT_FALSE(verdict.reason.empty());
      trials_[i].state = TrialState::kStopped;
    }
  }

  double cost() const { return static_cast<double>(epochs_) / static_cast<double>(kTrials * kEpochs); }
  std::int64_t resumed() const { return resumed_; }
  const std::vector<Trial>& trials() const { return trials_; }
  std::size_t winner() const {
    const auto worse = [](const Trial& a, const Trial& b) {
      return best_value(a, Goal::kMaximize).value_or(-1) < best_value(b, Goal::kMaximize).value_or(-1);
    };
    return static_cast<std::size_t>(std::max_element(trials_.begin(), trials_.end(), worse) - trials_.begin());
  }

 private:
  struct Event {
    double time;
    std::size_t trial;
    bool operator<(const Event& other) const { return time > other.time; }  // the earliest is on top
  };

  bool fill() {
    for (; has_changed_ && free_ > 0; --free_) {
      const bool draws_more = static_cast<std::int64_t>(trials_.size()) < kTrials;
      const auto resumed = next_to_resume(policy_, Goal::kMaximize, trials_, draws_more);
      if (!resumed && !draws_more) break;
      if (!resumed) trials_.push_back(make_trial(static_cast<std::int64_t>(trials_.size()), {}));
      const std::size_t index = resumed ? static_cast<std::size_t>(*resumed) : trials_.size() - 1;
      trials_[index].state = TrialState::kWaiting;
      schedule(index);
      if (resumed) ++resumed_;
    }
    has_changed_ = false;
    return !running_.empty();
  }

  void schedule(std::size_t trial) { running_.push({time_ + 1 + unit_from(mix(99, trial)), trial}); }

  void log_one(Event event) {
    running_.pop();
    time_ = event.time;
    ++epochs_;
    Trial& trial = trials_[event.trial];
    trial.state = TrialState::kRunning;
    const std::int64_t epoch = intervals_of(trial) + 1;
    trial.values.push_back(curve_(trial.number, epoch));
    const Verdict verdict = judge(policy_, Goal::kMaximize, trials_, event.trial, epoch);
    if (verdict.kind == Verdict::kStop) {
      trial.state = TrialState::kStopped;
    } else if (verdict.kind == Verdict::kPause) {
      trial.state = TrialState::kPaused;
    } else if (epoch == kEpochs) {
      trial.state = TrialState::kCompleted;
    } else {
      return schedule(event.trial);
    }
    ++free_;
    has_changed_ = true;
  }

  PolicySettings policy_;
  Curve curve_;
  std::vector<Trial> trials_;
  std::priority_queue<Event> running_;
  double time_ = 0;
  std::int64_t epochs_ = 0;
  std::int64_t resumed_ = 0;
  int free_ = 0;
  bool has_changed_ = true;  // a trial has paused or ended since the last look
};

// How good a trial is in the end; its curve rises to it, and no two curves ever cross.
double quality(std::uint64_t seed, std::int64_t trial) { return unit_from(mix(seed, static_cast<std::uint64_t>(trial))); }

Curve rank_preserving(std::uint64_t seed) {
  return [seed](std::int64_t trial, std::int64_t epoch) {
    return quality(seed, trial) * (1 - std::exp(-static_cast<double>(epoch) / 40));
  };
}

std::int64_t how_many_better(std::uint64_t seed, std::size_t winner) {
  std::int64_t better = 0;
  for (std::int64_t i = 0; i < kTrials; ++i) better += quality(seed, i) > quality(seed, static_cast<std::int64_t>(winner));
  return better;
}

// Runs all seeds and returns the mean share of the epochs of full training.
double mean_cost(const char* policy, int workers) {
  double sum = 0;
  double resumed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation simulation(policy_of(policy), rank_preserving(seed));
    simulation.run(workers);
    EXPECT_EQ(simulation.trials().size(), static_cast<std::size_t>(kTrials));
    EXPECT_LE(how_many_better(seed, simulation.winner()), kTrials / 100 - 1) << "seed " << seed;  // the top 1 %: two of 243
    EXPECT_EQ(simulation.trials()[simulation.winner()].state, TrialState::kCompleted) << "seed " << seed;
    sum += simulation.cost();
    resumed += static_cast<double>(simulation.resumed());
  }
  ::testing::Test::RecordProperty("resumed", std::to_string(resumed / kSeeds));
  ::testing::Test::RecordProperty("percent_of_epochs", std::to_string(100 * sum / kSeeds));
  return sum / kSeeds;
}

constexpr const char* kPausing = R"({"type": "asha", "max_intervals": 243, "eta": 3})";
constexpr const char* kStopping = R"({"type": "asha", "max_intervals": 243, "eta": 3, "pause": false})";

TEST(HalvingSimulation, asha_with_pauses_and_one_worker) { EXPECT_LE(mean_cost(kPausing, 1), 0.03); }
TEST(HalvingSimulation, asha_with_pauses_and_eight_workers) { EXPECT_LE(mean_cost(kPausing, 8), 0.03); }
TEST(HalvingSimulation, asha_with_pauses_and_all_at_once) { EXPECT_LE(mean_cost(kPausing, kTrials), 0.03); }
TEST(HalvingSimulation, asha_that_stops_and_one_worker) { EXPECT_LE(mean_cost(kStopping, 1), 0.06); }
TEST(HalvingSimulation, asha_that_stops_and_eight_workers) { EXPECT_LE(mean_cost(kStopping, 8), 0.06); }

TEST(HalvingSimulation, hyperband_costs_less_than_training_and_finds_the_best) {
  // One round is 415 trials; these are the 243 of its first, most eager bracket.
  const double eager = mean_cost(R"({"type": "hyperband", "max_intervals": 243})", 1);
  EXPECT_LE(eager, 0.06);
  EXPECT_LE(mean_cost(R"({"type": "hyperband", "max_intervals": 243, "pause": true})", 8), 0.03);
}

// Late bloomers are behind at first: the most eager bracket drops them all, a later one keeps them.
TEST(HalvingSimulation, hyperband_finds_what_asha_drops_where_curves_cross) {
  const Curve crossing = [](std::int64_t trial, std::int64_t epoch) {
    const double q = quality(7, trial);
    const bool blooms_late = trial % 5 == 0;
    return blooms_late ? (epoch < 20 ? 0.01 * q : 1 + q) : q;
  };
  const auto best = [&](const char* policy) {
    Simulation simulation(policy_of(policy), crossing);
    simulation.run(1);
    return *best_value(simulation.trials()[simulation.winner()], Goal::kMaximize);
  };
  EXPECT_LT(best(R"({"type": "asha", "max_intervals": 81})"), 1);
  EXPECT_GT(best(R"({"type": "hyperband", "max_intervals": 81})"), 1);
}

TEST(HalvingSimulation, a_sweep_of_any_size_ends_with_one_at_the_top) {
  for (const int few : {1, 2, 3, 4, 8, 10, 26}) {
    std::vector<Trial> trials;
    for (int i = 0; i < few; ++i) trials.push_back(make_trial(i, {quality(3, i)}, TrialState::kPaused));
    const auto policy = policy_of(kPausing);
    while (const auto number = next_to_resume(policy, Goal::kMaximize, trials, false)) {
      Trial& trial = trials[static_cast<std::size_t>(*number)];
      do {
        trial.values.push_back(rank_preserving(3)(trial.number, intervals_of(trial) + 1));
        ASSERT_LE(intervals_of(trial), kEpochs);
      } while (intervals_of(trial) < kEpochs && judge(policy, Goal::kMaximize, trials, static_cast<std::size_t>(*number),
                                                      intervals_of(trial)).kind == Verdict::kGoOn);
      trial.state = intervals_of(trial) == kEpochs ? TrialState::kCompleted : TrialState::kPaused;
    }
    const auto completed = std::count_if(trials.begin(), trials.end(),
                                         [](const Trial& trial) { return trial.state == TrialState::kCompleted; });
    EXPECT_GE(completed, 1) << few;
    EXPECT_LE(completed, 1 + few / kEpochs) << few;
  }
}

}  // namespace
}  // namespace roost
