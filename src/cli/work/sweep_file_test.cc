#include "cli/work/sweep_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/work/sweep_space.h"

namespace roost {
namespace {

const std::string kWhole = R"(experiment: birds
script: train.py
arguments: [--epochs, 4]
parameter_space:
  --lr: {loguniform: [1e-4, 1e-1]}
  batch: [16, 32]
  momentum: {uniform: [0.5, 0.99], when: {batch: 32}}
metric: val_acc
goal: maximize
max_total_runs: 8
)";

Json read(const std::string& text) {
  auto file = parse_sweep_file(text, "s.yaml");
  EXPECT_TRUE(file) << file.error().message;
  return file ? file->spec : Json();
}

std::string refusal(const std::string& text) {
  const auto file = parse_sweep_file(text, "s.yaml");
  EXPECT_FALSE(file);
  return file ? "" : file.error().message;
}

// The whole file with one part changed.
std::string with(const std::string& old, const std::string& now) {
  std::string text = kWhole;
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

TEST(SweepFile, ShortFormsBecomeTheApisInTheirOrder) {
  const Json spec = read(kWhole);
  EXPECT_EQ(spec["run"], (Json{{"experiment", "birds"}, {"script", "train.py"}, {"arguments", {"--epochs", "4"}}}));
  ASSERT_EQ(spec["space"].size(), 3U);
  EXPECT_EQ(spec["space"][0]["name"], "--lr");
  EXPECT_EQ(spec["space"][0]["expression"], "loguniform");
  EXPECT_DOUBLE_EQ(spec["space"][0]["values"][0].get<double>(), std::log(1e-4));
  EXPECT_DOUBLE_EQ(spec["space"][0]["values"][1].get<double>(), std::log(1e-1));
  EXPECT_EQ(spec["space"][1], (Json{{"name", "batch"}, {"expression", "choice"}, {"values", {16, 32}}}));
  EXPECT_EQ(spec["space"][2]["when"], (Json{{"name", "batch"}, {"values", Json::array({32})}}));
  EXPECT_EQ(spec["sampling"], (Json{{"type", "random"}}));
  EXPECT_EQ(spec["metric"], (Json{{"name", "val_acc"}, {"goal", "maximize"}}));
  EXPECT_TRUE(spec["policy"].is_null());
  EXPECT_EQ(spec["max_total_runs"], 8);
}

TEST(SweepFile, TakesTheFileOfAzuresCommandLine) {
  const Json spec = read(R"(experiment: birds
compute: gpu
command: python train.py && echo $HOME
sampling:
  type: bayesian
  seed: 7
  parameter_space:
    - {name: lr, expression: loguniform, values: [-9.2, -2.3]}
    - {name: layers, expression: randint, values: 4}
policy: {type: BanditPolicy, evaluation_interval: 2, slack_factor: 0.1}
primary_metric_name: Accuracy
primary_metric_goal: Maximize
max_total_runs: 20
max_concurrent_runs: 4
max_duration_minutes: 60
time_limit: 15m
)");
  EXPECT_EQ(spec["run"], (Json{{"experiment", "birds"},
                               {"compute", "gpu"},
                               {"command", "python train.py && echo $HOME"},
                               {"max_run_duration_seconds", 900}}));
  EXPECT_EQ(spec["sampling"], (Json{{"type", "bayesian"}, {"seed", 7}}));
  EXPECT_EQ(spec["space"][0]["values"], (Json{-9.2, -2.3}));
  EXPECT_EQ(spec["space"][1]["values"], Json::array({4}));
  EXPECT_EQ(spec["policy"], (Json{{"type", "bandit"}, {"evaluation_interval", 2}, {"slack_factor", 0.1}}));
  EXPECT_EQ(spec["metric"], (Json{{"name", "Accuracy"}, {"goal", "maximize"}}));
  EXPECT_EQ(spec["max_concurrent_runs"], 4);
  EXPECT_EQ(spec["max_duration_minutes"], 60);
}

TEST(SweepFile, AGridEndsByItself) {
  const Json spec = read(R"(experiment: birds
command: [python, train.py, two words]
parameter_space: {a: [1, 2, 3], b: {choice: [x, y]}}
sampling: grid
metric: {name: loss, goal: minimize}
policy: NoTerminationPolicy
)");
  EXPECT_EQ(spec["max_total_runs"], 6);
  EXPECT_EQ(spec["run"]["command"], "python train.py 'two words'");
  EXPECT_TRUE(spec["policy"].is_null());
}

TEST(SweepFile, SaysWhereItIsWrongAndWhatToWrite) {
  EXPECT_EQ(refusal(with("goal: maximize", "gaol: maximize")),
            "s.yaml, line 9: gaol: there is no such key; did you mean goal?");
  EXPECT_EQ(refusal(with("goal: maximize", "goal: best")),
            "s.yaml, line 9: goal: \"best\" must be maximize or minimize");
  EXPECT_EQ(refusal(with("goal: maximize\n", "")),
            "s.yaml: goal: is missing; add `goal: maximize` or `goal: minimize`");
  EXPECT_EQ(refusal(with("[1e-4, 1e-1]", "[0, 1]")),
            "s.yaml, line 5: parameter_space.--lr.loguniform: both bounds must be above 0, as there is no logarithm of 0");
  EXPECT_EQ(refusal(with("[1e-4, 1e-1]", "[1e-1, 1e-4]")),
            "s.yaml, line 5: parameter_space.--lr.loguniform: 0.1 is not below 0.0001; write the least value first");
  EXPECT_EQ(refusal(with("loguniform", "logunifrom")),
            "s.yaml, line 5: parameter_space.--lr.logunifrom: there is no such key; did you mean loguniform?");
  EXPECT_EQ(refusal(with("[0.5, 0.99]", "[0.5]")),
            "s.yaml, line 7: parameter_space.momentum.uniform: uniform takes [min, max], all of them numbers");
  EXPECT_EQ(refusal(with("{batch: 32}", "{batch: 64}")),
            "s.yaml, line 4: parameter_space: \"momentum\" depends on \"batch\" being 64, which is none of its options [16,32]");
  EXPECT_EQ(refusal(with("max_total_runs: 8", "max_total_runs: many")),
            "s.yaml, line 10: max_total_runs: must be a whole number from 1 to 1000000");
  EXPECT_EQ(refusal(with("script: train.py", "script: train.py\ncommand: x")),
            "s.yaml, line 3: command: script and command both say what to run; keep one of them");
  EXPECT_EQ(refusal(kWhole + "goal: minimize\n"), "s.yaml, line 11: goal: is there twice; keep one of them");
  EXPECT_EQ(refusal(kWhole + "sampling: grid\n"),
            "s.yaml, line 11: sampling: a grid needs choices (or randint) only; take random or tpe, or list the values");
  EXPECT_EQ(refusal("just words"), "s.yaml: it has no keys; write lines like `experiment: birds`");
  EXPECT_NE(refusal("a: [").find("s.yaml, line"), std::string::npos);
}

TEST(SweepFile, ChecksPolicies) {
  const auto policy = [](const std::string& text) { return refusal(kWhole + "policy: " + text + "\n"); };
  EXPECT_NE(policy("{type: bandit}").find("line 11: policy: a bandit needs one of slack_factor"), std::string::npos);
  EXPECT_NE(policy("{type: bandit, slack_factor: 1, slack_amount: 1}").find("needs one of"), std::string::npos);
  EXPECT_EQ(policy("{type: truncation, truncation_percentage: 100}"),
            "s.yaml, line 11: policy.truncation_percentage: must be a whole number from 1 to 99");
  EXPECT_EQ(policy("{type: median, slack_factor: 1}").find("s.yaml, line 11: policy.slack_factor: there is no such key"), 0U);
  EXPECT_NE(policy("lucky").find("\"lucky\" is none of bandit, median"), std::string::npos);
  EXPECT_EQ(policy("{type: asha, pause: 3}"), "s.yaml, line 11: policy.pause: must be true or false");
  EXPECT_EQ(read(kWhole + "policy: {type: asha, max_intervals: 27, pause: true}\n")["policy"],
            (Json{{"type", "asha"}, {"max_intervals", 27}, {"pause", true}}));
}

TEST(SweepFile, WarnsOfBoundsWhereLogarithmsAreAsked) {
  const auto file = parse_sweep_file(R"(experiment: birds
script: train.py
parameter_space: [{name: lr, expression: loguniform, values: [0.0001, 0.1]}]
metric: loss
goal: minimize
max_total_runs: 3
)", "s.yaml");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->notes.size(), 1U);
  EXPECT_NE(file->notes[0].find("`lr: {loguniform: [0.0001, 0.1]}` takes the bounds"), std::string::npos);
}

TEST(TrialParameters, AreTypedAsTheSpaceHasThem) {
  const Json space = read(kWhole)["space"];
  EXPECT_EQ(parse_trial_parameters(space, {"lr=1e-2", "batch=16"}).value(), (Json{{"--lr", 0.01}, {"batch", 16}}));
  EXPECT_EQ(parse_trial_parameters(space, {"--lr=1", "batch=32", "momentum=0.9"}).value(),
            (Json{{"--lr", 1}, {"batch", 32}, {"momentum", 0.9}}));
  EXPECT_NE(parse_trial_parameters(space, {"lr=1", "batch=32"}).error().message.find("momentum is missing"),
            std::string::npos);
  EXPECT_NE(parse_trial_parameters(space, {"rate=1"}).error().message.find("it has lr, batch, momentum"), std::string::npos);
  EXPECT_NE(parse_trial_parameters(space, {"lr=x", "batch=16"}).error().message.find("must be a number"), std::string::npos);
  EXPECT_FALSE(parse_trial_parameters(space, {"lr=1", "lr=2", "batch=16"}));
}

}  // namespace
}  // namespace roost
