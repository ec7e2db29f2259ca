#include <gtest/gtest.h>

#include <fmt/format.h>

#include "sweeps/policy.h"
#include "sweeps/test_trials.h"

namespace roost {
namespace {

std::string refusal(std::string_view json) {
  const auto policy = parse_policy(stored_json(json));
  return policy ? "accepted" : policy.error().message;
}

TEST(ParsePolicy, reads_settings_and_has_defaults) {
  EXPECT_EQ(policy_of("null").type, PolicyType::kNone);
  EXPECT_EQ(policy_of(R"({"type": "none"})").type, PolicyType::kNone);
  const auto bandit = policy_of(R"({"type": "bandit", "slack_amount": 0.2, "slack_factor": null, "delay_evaluation": 5})");
  EXPECT_EQ(bandit.type, PolicyType::kBandit);
  EXPECT_EQ(bandit.slack_amount, 0.2);
  EXPECT_FALSE(bandit.slack_factor);
  EXPECT_EQ(bandit.evaluation_interval, 1);
  EXPECT_EQ(bandit.delay_evaluation, 5);
  const auto truncation = policy_of(R"({"type": "truncation", "truncation_percentage": 10, "evaluation_interval": 2})");
  EXPECT_EQ(truncation.truncation_percentage, 10);
  EXPECT_EQ(truncation.evaluation_interval, 2);
  EXPECT_FALSE(truncation.exclude_finished_jobs);
  const auto pbt = policy_of(R"({"type": "pbt"})");
  EXPECT_EQ(pbt.interval, 5);
  EXPECT_EQ(pbt.quantile, 0.25);
  EXPECT_EQ(pbt.resample_probability, 0.25);
}

TEST(ParsePolicy, pauses_by_default_with_asha_and_not_with_hyperband) {
  EXPECT_TRUE(pauses(policy_of(R"({"type": "asha"})")));
  EXPECT_FALSE(pauses(policy_of(R"({"type": "asha", "pause": false})")));
  EXPECT_FALSE(pauses(policy_of(R"({"type": "hyperband"})")));
  EXPECT_TRUE(pauses(policy_of(R"({"type": "hyperband", "pause": true})")));
  EXPECT_FALSE(pauses(policy_of(R"({"type": "median"})")));
  EXPECT_EQ(policy_of(R"({"type": "asha"})").max_intervals, 81);
  EXPECT_EQ(policy_of(R"({"type": "asha"})").eta, 3);
}

TEST(ParsePolicy, says_what_to_change) {
  EXPECT_EQ(refusal("[]"), "\"policy\" must be a JSON object");
  EXPECT_EQ(refusal("{}"), "\"policy\" needs \"type\"");
  EXPECT_EQ(refusal(R"({"type": "hill"})"),
            "no policy is called \"hill\"; there are bandit, median, truncation, asha, hyperband, pbt and none");
  EXPECT_EQ(refusal(R"({"type": "bandit"})"),
            "a bandit policy needs one of \"slack_factor\" (a share of the best, like 0.1) and \"slack_amount\" (a distance from "
            "it); \"policy\" has neither");
  EXPECT_TRUE(refusal(R"({"type": "bandit", "slack_factor": 0, "slack_amount": 0})").ends_with("has both"));
  EXPECT_EQ(refusal(R"({"type": "bandit", "slack_factor": -0.1})"),
            "\"slack_factor\" in \"policy\" must be a number of at least 0");
  EXPECT_EQ(refusal(R"({"type": "bandit", "slack_factor": "0.1"})"),
            "\"slack_factor\" in \"policy\" must be a number of at least 0");
  EXPECT_EQ(refusal(R"({"type": "bandit", "slack": 0.1})"),
            "the policy \"bandit\" has no setting \"slack\"; it has evaluation_interval, delay_evaluation, slack_factor and "
            "slack_amount");
  EXPECT_EQ(refusal(R"({"type": "none", "eta": 3})"), "the policy \"none\" has no setting \"eta\"; it has none");
  EXPECT_TRUE(refusal(R"({"type": "median", "evaluation_interval": 0})").starts_with("\"evaluation_interval\" in \"policy\""));
  EXPECT_TRUE(refusal(R"({"type": "median", "delay_evaluation": -1})").starts_with("\"delay_evaluation\" in \"policy\""));
  EXPECT_EQ(refusal(R"({"type": "truncation"})"),
            "a truncation policy needs \"truncation_percentage\", how many of a hundred are stopped, like 20");
  for (const char* percentage : {"0", "100", "12.5", "\"10\""}) {
    EXPECT_EQ(refusal(fmt::format(R"({{"type": "truncation", "truncation_percentage": {}}})", percentage)),
              "\"truncation_percentage\" in \"policy\" must be a whole number from 1 to 99");
  }
  EXPECT_EQ(refusal(R"({"type": "asha", "min_intervals": 10, "max_intervals": 20})"),
            "\"max_intervals\" in \"policy\" is 20; with \"min_intervals\" 10 and \"eta\" 3 it must be at least 30, else no trial "
            "is ever compared");
  EXPECT_EQ(refusal(R"({"type": "asha", "eta": 1})"), "\"eta\" in \"policy\" must be a whole number from 2 to 1000");
  EXPECT_EQ(refusal(R"({"type": "asha", "pause": 1})"), "\"pause\" in \"policy\" must be true or false");
  EXPECT_EQ(refusal(R"({"type": "pbt", "quantile": 0.6})"), "\"quantile\" in \"policy\" must be a number from 0.01 to 0.5");
  EXPECT_EQ(refusal(R"({"type": "pbt", "resample_probability": 2})"),
            "\"resample_probability\" in \"policy\" must be a number from 0 to 1");
}

}  // namespace
}  // namespace roost
