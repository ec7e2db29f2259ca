#include "sweeps/rungs.h"

#include <gtest/gtest.h>

#include "sweeps/asha.h"
#include "sweeps/hyperband.h"
#include "sweeps/test_trials.h"

namespace roost {
namespace {

constexpr auto kPaused = TrialState::kPaused;
const PolicySettings kPausing = policy_of(R"({"type": "asha", "max_intervals": 27})");  // rungs 1, 3, 9
const PolicySettings kStopping = policy_of(R"({"type": "asha", "max_intervals": 27, "pause": false})");

std::optional<std::int64_t> next(const std::vector<Trial>& trials, bool draws_more = true) {
  return next_to_resume(kPausing, Goal::kMaximize, trials, draws_more);
}

TEST(Rungs, are_powers_below_the_maximum) {
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(asha_ladder(kPausing).rungs, (List{1, 3, 9}));
  EXPECT_EQ(asha_ladder(policy_of(R"({"type": "asha", "min_intervals": 5, "max_intervals": 100, "eta": 4})")).rungs,
            (List{5, 20, 80}));
  const auto far = policy_of(R"({"type": "asha", "min_intervals": 500000, "max_intervals": 1000000000, "eta": 1000})");
  EXPECT_EQ(asha_ladder(far).rungs, (List{500000, 500000000}));
}

TEST(AshaStopping, keeps_the_top_of_those_seen_at_the_rung) {
  // Of one or two the best goes on, of three to five the best, of six the best two.
  const auto kinds = [](const std::vector<double>& seen) {
    return judge(kStopping, Goal::kMaximize, with_values(seen), seen.size() - 1, 1).kind;
  };
  EXPECT_EQ(kinds({0.1}), Verdict::kGoOn);
  EXPECT_EQ(kinds({0.1, 0.2}), Verdict::kGoOn);
  EXPECT_EQ(kinds({0.2, 0.1}), Verdict::kStop);
  EXPECT_EQ(kinds({0.1, 0.2, 0.3, 0.4, 0.35}), Verdict::kStop);
  EXPECT_EQ(kinds({0.1, 0.2, 0.3, 0.4, 0.2, 0.35}), Verdict::kGoOn);
  EXPECT_EQ(kinds({0.2, 0.2}), Verdict::kGoOn);  // equal ones are not told apart
  EXPECT_EQ(judge(kStopping, Goal::kMinimize, with_values({0.2, 0.1}), 1, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(kStopping, Goal::kMinimize, with_values({0.1, 0.2}), 1, 1).kind, Verdict::kStop);
}

TEST(AshaStopping, compares_the_value_at_the_rung_and_not_the_best_so_far) {
  const std::vector<Trial> trials = {make_trial(0, {0.1, 0.1, 0.5, 0.9}), make_trial(1, {0.8, 0.8, 0.4})};
  EXPECT_EQ(judge(kStopping, Goal::kMaximize, trials, 1, 3).kind, Verdict::kStop);
  EXPECT_EQ(judge(kStopping, Goal::kMaximize, trials, 0, 3).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(kStopping, Goal::kMaximize, trials, 1, 2).kind, Verdict::kGoOn);  // no rung
}

TEST(AshaStopping, judges_nobody_past_the_last_rung) {
  const std::vector<Trial> trials = {make_trial(0, std::vector<double>(100, 0.9)),
                                     make_trial(1, std::vector<double>(100, 0.1))};
  for (std::int64_t n = 10; n <= 100; ++n) EXPECT_EQ(judge(kStopping, Goal::kMaximize, trials, 1, n).kind, Verdict::kGoOn);
}

TEST(AshaStopping, stops_what_diverged) {
  EXPECT_EQ(judge(kStopping, Goal::kMaximize, with_values({kNan}), 0, 1).reason,
            "stopped at interval 1 (rung 0): its value there is NaN, which is never among the best");
  EXPECT_EQ(judge(kStopping, Goal::kMinimize, with_values({kNan, 0.5}), 1, 1).kind, Verdict::kGoOn);
}

TEST(AshaStopping, gives_its_numbers) {
  EXPECT_EQ(judge(kStopping, Goal::kMaximize, with_values({0.9, 0.8, 0.7, 0.5, 0.4, 0.61}), 5, 1).reason,
            "stopped at interval 1 (rung 0): 0.610 is below the cut 0.800 (rank 4, the best 2 of 6 go on)");
  EXPECT_EQ(judge(kStopping, Goal::kMinimize, with_values({0.1, 0.2}), 1, 1).reason,
            "stopped at interval 1 (rung 0): 0.200 is above the cut 0.100 (rank 2, the best of 2 goes on)");
}

TEST(AshaPausing, pauses_at_a_rung_what_is_not_at_the_top_yet) {
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, with_values({0.5}), 0, 1).reason,
            "paused at interval 1 (rung 0): the best of 3 goes on, and 1 has come so far");
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, with_values({0.5, 0.6}), 1, 1).reason,
            "paused at interval 1 (rung 0): the best of 3 goes on, and 2 have come so far");
  const Verdict third = judge(kPausing, Goal::kMaximize, with_values({0.5, 0.6, 0.55}), 2, 1);
  EXPECT_EQ(third.kind, Verdict::kPause);
  EXPECT_EQ(third.reason, "paused at interval 1 (rung 0): 0.550 is not the best of 3 yet (rank 2, cut 0.600)");
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, with_values({0.9, 0.8, 0.5, 0.6, 0.55, 0.61}), 5, 1).reason,
            "paused at interval 1 (rung 0): 0.610 is not among the best 2 of 6 yet (rank 3, cut 0.800)");
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, with_values({kNan}), 0, 1).kind, Verdict::kPause);
}

TEST(AshaPausing, does_not_interrupt_what_is_at_the_top) {
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, with_values({0.5, 0.6, 0.7}), 2, 1).kind, Verdict::kGoOn);
  const auto many = std::vector<Trial>{make_trial(0, std::vector<double>(30, 0.1))};
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, many, 0, 9).kind, Verdict::kPause);
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, many, 0, 27).kind, Verdict::kGoOn);  // at the maximum it is on its own
}

TEST(AshaPausing, tells_equal_trials_apart_by_their_order) {
  const auto trials = with_values({0.5, 0.5, 0.5}, kPaused);
  EXPECT_EQ(next(trials), 0);
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, trials, 2, 1).kind, Verdict::kPause);
}

TEST(AshaPausing, promotes_the_best_paused_trial_once) {
  auto trials = with_values({0.5, 0.7, 0.6}, kPaused);
  EXPECT_EQ(next({trials[0], trials[1]}), std::nullopt);  // two of three
  EXPECT_EQ(next(trials), 1);
  trials[1].state = TrialState::kWaiting;
  EXPECT_EQ(next(trials), std::nullopt);  // the one place is taken
  trials[1].state = TrialState::kRunning;
  trials[1].values = {0.7, 0.7};
  EXPECT_EQ(next(trials), std::nullopt);
  trials[1].values = {0.7, 0.7, 0.7};
  trials[1].state = kPaused;
  EXPECT_EQ(next(trials), std::nullopt);  // alone at rung 1
}

TEST(AshaPausing, promotes_from_the_highest_rung_first) {
  auto trials = with_values({0.9, 0.8, 0.1, 0.1, 0.1, 0.1}, kPaused);
  for (int i = 6; i < 9; ++i) trials.push_back(make_trial(i, {0.3, 0.3, 0.3 + i}, kPaused));
  EXPECT_EQ(next(trials), 8);
  trials[8].state = TrialState::kRunning;
  EXPECT_EQ(next(trials), 0);
  EXPECT_EQ(next_to_resume(kPausing, Goal::kMinimize, trials), 6);
}

TEST(AshaPausing, sends_on_no_more_than_a_third_more_while_trials_are_drawn) {
  // The place of three, and one more, are taken when the best of all comes.
  std::vector<Trial> trials = {make_trial(0, {0.5, 0.5}), make_trial(1, {0.6, 0.6}, TrialState::kFailed),
                               make_trial(2, {0.4}, kPaused), make_trial(3, {0.7})};
  const Verdict verdict = judge(kPausing, Goal::kMaximize, trials, 3, 1);
  EXPECT_EQ(verdict.kind, Verdict::kPause);
  EXPECT_EQ(verdict.reason,
            "paused at interval 1 (rung 0): 0.700 is the best of 4, but 2 went on already (rank 1, cut 0.700)");
  trials[3].state = kPaused;
  EXPECT_EQ(next(trials, true), std::nullopt);
  EXPECT_EQ(next(trials, false), 3);
  while (trials.size() < 6) trials.push_back(make_trial(static_cast<std::int64_t>(trials.size()), {0.3}, kPaused));
  EXPECT_EQ(next(trials, true), std::nullopt);  // of six two
  while (trials.size() < 9) trials.push_back(make_trial(static_cast<std::int64_t>(trials.size()), {0.3}, kPaused));
  EXPECT_EQ(next(trials, true), 3);  // of nine three
  trials[2] = make_trial(2, {0.4, 0.4});
  EXPECT_EQ(next(trials, true), 3);  // and one more
  trials[4] = make_trial(4, {0.3, 0.4});
  EXPECT_EQ(next(trials, true), std::nullopt);
  // Those of earlier sweeps take no place, and neither do others that have come to the rung in the same second.
  trials = {make_trial(-2, {0.5, 0.5}, TrialState::kCompleted), make_trial(-1, {0.5, 0.5}, TrialState::kCompleted),
            make_trial(0, {0.6}), make_trial(1, {0.7})};
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, trials, 3, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(kPausing, Goal::kMaximize, trials, 2, 1).kind, Verdict::kPause);
}

TEST(AshaPausing, counts_a_trial_at_the_rung_to_which_it_ran_on_before_it_had_paused) {
  auto trials = with_values({0.5, 0.6}, kPaused);
  trials.push_back(make_trial(2, {0.9, 0.9, 0.9, 0.9}, kPaused));  // paused at 1, logged 4
  EXPECT_EQ(next(trials), std::nullopt);  // it has been promoted from rung 0
  trials.push_back(make_trial(3, {0.1, 0.1, 0.1}, kPaused));
  trials.push_back(make_trial(4, {0.1, 0.1, 0.2}, kPaused));
  EXPECT_EQ(next(trials), 2);
}

TEST(AshaPausing, never_promotes_nan) {
  EXPECT_EQ(next(with_values({kNan, kNan, kNan}, kPaused)), std::nullopt);
  EXPECT_EQ(next(with_values({kNan, kNan, kNan}, kPaused), false), std::nullopt);
  EXPECT_EQ(next(with_values({kNan, -5, kNan}, kPaused)), 1);
}

TEST(AshaPausing, compares_with_earlier_sweeps_but_resumes_none_of_them) {
  auto trials = with_values({0.5, 0.6, 0.55}, kPaused);
  trials.insert(trials.begin(), make_trial(-1, {0.9, 0.9}, TrialState::kCompleted));
  EXPECT_EQ(next(trials), std::nullopt);  // the one place of four is taken
  EXPECT_EQ(next(trials, false), 1);      // but one of its own is to reach the top
}

TEST(AshaPausing, sends_one_to_the_top_when_no_more_are_drawn) {
  auto trials = with_values({0.5, 0.6}, kPaused);
  EXPECT_EQ(next(trials, true), std::nullopt);
  trials.push_back(make_trial(2, {}));
  EXPECT_EQ(next(trials, false), std::nullopt);  // one still runs, and may be better
  trials[2] = make_trial(2, {0.55}, kPaused);
  EXPECT_EQ(next(trials, false), 1);  // by its rank now
  trials[1] = make_trial(1, {0.6, 0.6, 0.6}, kPaused);
  EXPECT_EQ(next(trials, false), 1);  // alone at rung 1
  trials[1] = make_trial(1, std::vector<double>(9, 0.6), kPaused);
  EXPECT_EQ(next(trials, false), 1);
  trials[1] = make_trial(1, std::vector<double>(27, 0.6), TrialState::kCompleted);
  EXPECT_EQ(next(trials, false), std::nullopt);
}

TEST(AshaPausing, passes_over_the_one_that_failed_on_its_way_to_the_top) {
  std::vector<Trial> trials = {make_trial(0, {0.5}, kPaused), make_trial(1, {0.6, 0.6}, TrialState::kFailed)};
  EXPECT_EQ(next(trials, false), 0);
  trials[0] = make_trial(0, {0.5, 0.5}, TrialState::kFailed);
  EXPECT_EQ(next(trials, false), std::nullopt);
}

TEST(AshaPausing, has_nobody_to_resume_in_an_empty_sweep) {
  EXPECT_EQ(next({}, false), std::nullopt);
  EXPECT_EQ(next({make_trial(0, {}, TrialState::kFailed)}, false), std::nullopt);
}

TEST(AshaPausing, stops_the_rest_with_a_reason) {
  auto trials = with_values({0.9, 0.8, 0.5, 0.6, 0.55, 0.61, kNan}, kPaused);
  EXPECT_EQ(judge_rest(kPausing, Goal::kMaximize, trials, 5).kind, Verdict::kStop);
  EXPECT_EQ(judge_rest(kPausing, Goal::kMaximize, trials, 5).reason,
            "stopped at interval 1 (rung 0): 0.610 had rank 3 of 7 when the sweep ended, and the best 2 went on");
  EXPECT_EQ(judge_rest(kPausing, Goal::kMaximize, trials, 0).reason,
            "stopped at interval 1 (rung 0): 0.900 had rank 1 of 7 when the sweep ended");
  EXPECT_EQ(judge_rest(kPausing, Goal::kMaximize, trials, 6).reason,
            "stopped at interval 1 (rung 0): its value there is NaN, which is never among the best");
  trials.resize(2);
  EXPECT_EQ(judge_rest(kPausing, Goal::kMaximize, trials, 1).reason,
            "stopped at interval 1 (rung 0): 0.800 had rank 2 of 2 when the sweep ended, and the best went on");
}

TEST(Hyperband, has_the_brackets_of_the_paper) {
  const auto brackets = brackets_of(policy_of(R"({"type": "hyperband", "max_intervals": 81})"));
  ASSERT_EQ(brackets.size(), 5u);
  const std::vector<std::int64_t> trials = {81, 34, 15, 8, 5};
  std::int64_t first = 1;
  for (std::size_t i = 0; i < brackets.size(); ++i, first *= 3) {
    EXPECT_EQ(brackets[i].s, 4 - static_cast<std::int64_t>(i));
    EXPECT_EQ(brackets[i].trials, trials[i]);
    EXPECT_EQ(brackets[i].first_rung, first);
  }
  EXPECT_EQ(brackets_of(policy_of(R"({"type": "hyperband", "max_intervals": 80})")).size(), 4u);
  EXPECT_EQ(brackets_of(policy_of(R"({"type": "hyperband", "max_intervals": 1000000000, "eta": 2})")).size(), 30u);
}

TEST(Hyperband, gives_trials_their_rungs_by_number) {
  using List = std::vector<std::int64_t>;
  const auto policy = policy_of(R"({"type": "hyperband", "max_intervals": 100})");
  EXPECT_EQ(bracket_ladder(policy, 0).rungs, (List{1, 3, 9, 27}));
  EXPECT_EQ(bracket_ladder(policy, 80).rungs, (List{1, 3, 9, 27}));
  EXPECT_EQ(bracket_ladder(policy, 81).rungs, (List{3, 9, 27}));
  EXPECT_EQ(bracket_ladder(policy, 81 + 34 + 15).rungs, (List{27}));
  EXPECT_EQ(bracket_ladder(policy, 142).rungs, (List{}));  // stops nobody, below 100 too
  EXPECT_EQ(bracket_ladder(policy, 143).bracket, 4);
  EXPECT_EQ(bracket_ladder(policy, 10000).rungs.size(), bracket_ladder(policy, 10000 % 143).rungs.size());
}

TEST(Hyperband, compares_within_a_bracket_and_with_earlier_sweeps) {
  const auto policy = policy_of(R"({"type": "hyperband", "max_intervals": 9})");  // 9, 5 and 3 trials a round
  const std::vector<double> good = {0.9, 0.9, 0.9};
  const std::vector<double> bad = {0.1, 0.1, 0.1};
  EXPECT_EQ(judge(policy, Goal::kMaximize, {make_trial(0, good), make_trial(9, bad)}, 1, 3).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(policy, Goal::kMaximize, {make_trial(9, good), make_trial(10, bad)}, 1, 3).reason,
            "stopped at interval 3 (rung 0 of bracket 1): 0.100 is below the cut 0.900 (rank 2, the best of 2 goes on)");
  EXPECT_EQ(judge(policy, Goal::kMaximize, {make_trial(9, good), make_trial(10, bad)}, 1, 1).kind, Verdict::kGoOn);
  EXPECT_EQ(judge(policy, Goal::kMaximize, {make_trial(9, good), make_trial(9 + 17, bad)}, 1, 3).kind, Verdict::kStop);
  EXPECT_EQ(judge(policy, Goal::kMaximize, {make_trial(-1, good, TrialState::kCompleted), make_trial(10, bad)}, 1, 3).kind,
            Verdict::kStop);
  EXPECT_EQ(judge(policy, Goal::kMaximize, {make_trial(14, good), make_trial(15, bad)}, 1, 3).kind, Verdict::kGoOn);
}

TEST(Hyperband, may_pause) {
  const auto policy = policy_of(R"({"type": "hyperband", "max_intervals": 9, "pause": true})");
  std::vector<Trial> trials;
  for (int i = 0; i < 3; ++i) trials.push_back(make_trial(i, {0.9 + i}, kPaused));
  for (int i = 9; i < 12; ++i) trials.push_back(make_trial(i, {0.1, 0.1, 0.1 + i}, kPaused));
  EXPECT_EQ(judge(policy, Goal::kMaximize, trials, 0, 1).kind, Verdict::kPause);
  EXPECT_EQ(next_to_resume(policy, Goal::kMaximize, trials), 2);
  trials[2].state = TrialState::kRunning;
  EXPECT_EQ(next_to_resume(policy, Goal::kMaximize, trials), 11);
  EXPECT_EQ(judge_rest(policy, Goal::kMaximize, trials, 3).reason,
            "stopped at interval 3 (rung 0 of bracket 1): 9.100 had rank 3 of 3 when the sweep ended, and the best went on");
}

}  // namespace
}  // namespace roost
