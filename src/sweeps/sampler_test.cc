#include "sweeps/sampler.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "sweeps/sampler_fixture.h"

namespace roost {
namespace {

const std::vector<std::string> kLearning = {"tpe", "gp"};
const std::vector<std::string> kAll = {"random", "sobol", "tpe", "gp", "grid"};

constexpr const char* kSquare = R"([
  {"name": "x", "expression": "uniform", "values": [-1, 1]}, {"name": "y", "expression": "uniform", "values": [-1, 1]}])";
constexpr const char* kFinite = R"([
  {"name": "kind", "expression": "choice", "values": ["a", "b", "c"]}, {"name": "n", "expression": "randint", "values": [4]},
  {"name": "q", "expression": "quniform", "values": [0, 0.4, 0.1]}])";
constexpr const char* kTree = R"([
  {"name": "optimizer", "expression": "choice", "values": ["sgd", "adam"]},
  {"name": "momentum", "expression": "uniform", "values": [0, 1], "when": {"name": "optimizer", "values": ["sgd"]}},
  {"name": "schedule", "expression": "choice", "values": ["flat", "cosine"], "when": {"name": "optimizer", "values": ["sgd"]}},
  {"name": "periods", "expression": "randint", "values": [5], "when": {"name": "schedule", "values": ["cosine"]}},
  {"name": "beta", "expression": "uniform", "values": [0, 1], "when": {"name": "optimizer", "values": ["adam"]}},
  {"name": "lr", "expression": "loguniform", "values": [-7, 0]}])";

double bowl(const Json& p) {
  const double x = p["x"].get<double>() - 0.3;
  const double y = p["y"].get<double>() + 0.4;
  return x * x + 2 * y * y + x * y;
}

Trial trial(std::int64_t number, const Json& parameters, TrialState state, std::vector<double> values) {
  return {number, parameters, state, std::move(values)};
}

TEST(Samplers, AFiniteSpaceIsUsedUpWithoutRepeats) {
  const SearchSpace space = space_of(kFinite);
  ASSERT_EQ(space.size(), 60U);
  for (const std::string& sampler : kAll) {
    const auto trials = play(sampler, space, 100, [](const Json& p) { return p["n"].get<double>() + p["q"].get<double>(); });
    std::set<std::string> seen;
    for (const Trial& each : trials) seen.insert(each.parameters.dump());
    EXPECT_EQ(trials.size(), 60U) << sampler;
    EXPECT_EQ(seen.size(), 60U) << sampler;
  }
}

TEST(Samplers, AFiniteTreeIsUsedUpWithoutRepeats) {
  const SearchSpace space = space_of(R"([
    {"name": "a", "expression": "choice", "values": [0, 1, 2]},
    {"name": "b", "expression": "randint", "values": [3], "when": {"name": "a", "values": [1]}},
    {"name": "c", "expression": "choice", "values": ["u", "v"], "when": {"name": "a", "values": [1, 2]}}])");
  ASSERT_EQ(space.size(), 1U + 6 + 2);
  for (const std::string sampler : {"random", "sobol", "tpe", "grid"}) {
    std::set<std::string> seen;
    const auto trials = play(sampler, space, 20, [](const Json& p) { return p["a"].get<double>(); });
    for (const Trial& each : trials) seen.insert(each.parameters.dump());
    EXPECT_EQ(seen.size(), 9U) << sampler;
  }
}

TEST(Samplers, GridGoesThroughTheProductInOrder) {
  const auto trials = play("grid", space_of(R"([{"name": "a", "expression": "choice", "values": ["x", "y"]},
                                              {"name": "b", "expression": "choice", "values": [3, 1, 2]}])"),
                           10, [](const Json&) { return 0; });
  std::string order;
  for (const Trial& each : trials) order += each.parameters["a"].get<std::string>() + each.parameters["b"].dump() + " ";
  EXPECT_EQ(order, "x3 x1 x2 y3 y1 y2 ");
}

TEST(Samplers, AHandMadeTrialOfAGridIsNotRunTwice) {
  const SearchSpace space = space_of(R"([{"name": "b", "expression": "choice", "values": [3, 1, 2]}])");
  const std::vector<Trial> history = {trial(0, {{"b", 1}}, TrialState::kRunning, {})};
  EXPECT_EQ(suggest({"grid", 0}, space, Goal::kMinimize, history, 1), Json({{"b", 2}}));
  EXPECT_EQ(suggest({"grid", 0}, space, Goal::kMinimize, history, 2), Json({{"b", 2}}));
}

TEST(Samplers, ConditionsHoldInEveryDraw) {
  const SearchSpace space = space_of(kTree);
  for (const std::string sampler : {"random", "sobol", "tpe", "gp"}) {
    int sgd = 0;
    const auto trials = play(sampler, space, 40, [](const Json& p) { return p["lr"].get<double>(); });
    for (const Trial& each : trials) {
      const Json& p = each.parameters;
      const bool is_sgd = p["optimizer"] == "sgd";
      sgd += is_sgd;
      EXPECT_EQ(p.contains("momentum"), is_sgd) << p;
      EXPECT_EQ(p.contains("schedule"), is_sgd) << p;
      EXPECT_EQ(p.contains("beta"), !is_sgd) << p;
      EXPECT_EQ(p.contains("periods"), is_sgd && p["schedule"] == "cosine") << p;
      EXPECT_TRUE(p.contains("lr")) << p;
    }
    EXPECT_GT(sgd, 3) << sampler;
    EXPECT_LT(sgd, 37) << sampler;
  }
}

TEST(Samplers, TpeLearnsInsideABranch) {
  const auto value = [](const Json& p) {
    if (p["optimizer"] == "adam") return 1 + std::abs(p["beta"].get<double>() - 0.5);
    return std::abs(p["momentum"].get<double>() - 0.7) + (p["schedule"] == "cosine" ? 0.1 * p["periods"].get<double>() : 0.5);
  };
  double tpe = 0;
  double random = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    tpe += best_of(play("tpe", space_of(kTree), 60, value, seed));
    random += best_of(play("random", space_of(kTree), 60, value, seed));
  }
  EXPECT_LT(tpe, random);
}

TEST(Samplers, LearningBeatsChance) {
  const SearchSpace space = space_of(kSquare);
  double random = 0;
  double tpe = 0;
  double gp = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    random += best_of(play("random", space, 40, bowl, seed));
    tpe += best_of(play("tpe", space, 40, bowl, seed));
    gp += best_of(play("gp", space, 40, bowl, seed));
  }
  EXPECT_LT(tpe, random / 2);
  EXPECT_LT(gp, random / 100);
}

TEST(Samplers, MaximizingIsMinimizingTheOpposite) {
  for (const std::string& sampler : kLearning) {
    const auto down = play(sampler, space_of(kSquare), 20, bowl, 3, Goal::kMinimize);
    const auto up = play(sampler, space_of(kSquare), 20, [](const Json& p) { return -bowl(p); }, 3, Goal::kMaximize);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(down[i].parameters, up[i].parameters) << sampler << " " << i;
  }
}

TEST(Samplers, OddValuesDoNotPoison) {
  const SearchSpace space = space_of(kSquare);
  const std::vector<std::pair<std::string, Objective>> odd = {
      {"NaN now and then", [](const Json& p) { return p["x"].get<double>() > 0 ? std::nan("") : bowl(p); }},
      {"always NaN", [](const Json&) { return std::nan(""); }},
      {"infinite now and then", [](const Json& p) { return p["x"].get<double>() > 0 ? INFINITY : bowl(p); }},
      {"huge", [](const Json& p) { return 1e300 * (bowl(p) - 1); }},
      {"tiny", [](const Json& p) { return 1e-300 * bowl(p); }},
      {"all the same", [](const Json&) { return 5.0; }},
      {"all the same but one", [](const Json& p) { return p["x"].get<double>() < -0.9 ? 0.0 : 5.0; }},
  };
  for (const std::string& sampler : kLearning) {
    for (const auto& [what, objective] : odd) {
      std::set<std::string> seen;
      for (const Trial& each : play(sampler, space, 25, objective)) {
        for (const char* name : {"x", "y"}) {
          const double drawn = each.parameters[name].get<double>();
          EXPECT_TRUE(drawn >= -1 && drawn <= 1) << sampler << ", " << what << ": " << each.parameters;
        }
        seen.insert(each.parameters.dump());
      }
      EXPECT_GT(seen.size(), 20U) << sampler << ", " << what;
    }
  }
}

TEST(Samplers, ShortHistoriesAndTrialsThatTeachNothing) {
  const SearchSpace space = space_of(kSquare);
  const Json here = {{"x", 0.1}, {"y", 0.1}};
  for (const std::string& sampler : kLearning) {
    const auto first = suggest({sampler, 1}, space, Goal::kMinimize, {}, 12);
    EXPECT_TRUE(first);
    const std::vector<Trial> useless = {
        trial(0, here, TrialState::kFailed, {1}),
        trial(1, {{"z", 1}}, TrialState::kCompleted, {1}),
        trial(2, Json::array(), TrialState::kCompleted, {2}),
        trial(-1, {{"x", "text"}, {"y", 0}}, TrialState::kCompleted, {3}),
        trial(3, here, TrialState::kCompleted, {}),
        trial(4, here, TrialState::kCompleted, {std::nan("")})};
    EXPECT_EQ(suggest({sampler, 1}, space, Goal::kMinimize, useless, 12), first) << sampler;
    auto more = play(sampler, space, 12, bowl);
    const auto without = suggest({sampler, 1}, space, Goal::kMinimize, more, 99);
    for (const Trial& each : useless) more.push_back({each.number + 50, each.parameters, each.state, each.values});
    EXPECT_EQ(suggest({sampler, 1}, space, Goal::kMinimize, more, 99), without) << sampler;
  }
}

TEST(Samplers, TheOrderInWhichTrialsAreToldDoesNotMatter) {
  for (const std::string& sampler : kLearning) {
    const SearchSpace space = space_of(kSquare);
    auto trials = play(sampler, space, 25, bowl);
    const auto forward = suggest({sampler, 1}, space, Goal::kMinimize, trials, 25);
    Suggester backward({sampler, 1}, space, Goal::kMinimize);
    for (auto at = trials.rbegin(); at != trials.rend(); ++at) {
      backward.put({at->number, at->parameters, TrialState::kRunning, {}});
      backward.put(*at);
    }
    EXPECT_EQ(backward.suggest(25), forward) << sampler;
  }
}

TEST(Samplers, DrawsThatRunKeepOthersAway) {
  const SearchSpace space = space_of(kSquare);
  for (const std::string& sampler : kLearning) {
    auto trials = play(sampler, space, 20, [](const Json& p) {
      return bowl(p) + 0.5 * std::sin(9 * p["x"].get<double>()) * std::sin(8 * p["y"].get<double>());
    });
    for (std::int64_t number = 20; number < 28; ++number) {
      trials.push_back({number, *suggest({sampler, 1}, space, Goal::kMinimize, trials, number), TrialState::kRunning, {}});
    }
    double least = 10;
    for (std::size_t a = 20; a < 28; ++a) {
      for (std::size_t b = 20; b < a; ++b) {
        const double x = trials[a].parameters["x"].get<double>() - trials[b].parameters["x"].get<double>();
        const double y = trials[a].parameters["y"].get<double>() - trials[b].parameters["y"].get<double>();
        least = std::min(least, std::sqrt(x * x + y * y));
      }
    }
    EXPECT_GT(least, 0.0019) << sampler;
  }
}

TEST(Samplers, StoppedTrialsTeachButRankBehindCompleteOnes) {
  // Only stopped ones: the sampler goes where they were better, not at random.
  const SearchSpace space = space_of(kSquare);
  for (const std::string& sampler : kLearning) {
    Suggester suggester({sampler, 2}, space, Goal::kMinimize);
    double near = 0;
    for (std::int64_t number = 0; number < 40; ++number) {
      const Json p = *suggester.suggest(number);
      suggester.put(trial(number, p, TrialState::kStopped, {9, bowl(p)}));
      if (number >= 25) near += bowl(p) / 15;
    }
    EXPECT_LT(near, 0.6) << sampler << ": the mean over the square is 1.5";
  }
}

TEST(Samplers, OneDimensionOneValueManyCategories) {
  for (const std::string& sampler : kLearning) {
    const auto line = play(sampler, space_of(R"([{"name": "x", "expression": "normal", "values": [0, 10]}])"), 30,
                           [](const Json& p) { return std::abs(p["x"].get<double>() - 7); });
    EXPECT_LT(best_of(line), 0.7) << sampler;
    const SearchSpace single = space_of(R"([{"name": "x", "expression": "choice", "values": [1]}])");
    EXPECT_EQ(play(sampler, single, 5, [](const Json&) { return 1; }).size(), 1U);
    Json choices = Json::array();
    for (int i = 0; i < 40; ++i) choices.push_back(fmt::format("v{}", i));
    Json space = Json::array();
    for (int d = 0; d < 4; ++d) space.push_back({{"name", fmt::format("c{}", d)}, {"expression", "choice"}, {"values", choices}});
    const auto categories = play(sampler, space_of(space.dump()), 40, [](const Json& p) {
      double wrong = 0;
      for (const auto& each : p) wrong += each == "v7" ? 0 : 1;
      return wrong;
    });
    EXPECT_EQ(categories.size(), 40U) << sampler;
  }
}

TEST(Samplers, AHundredDimensions) {
  Json space = Json::array();
  for (int d = 0; d < 100; ++d) {
    space.push_back({{"name", fmt::format("x{}", d)}, {"expression", "uniform"}, {"values", {0, 1}}});
  }
  for (const std::string& sampler : kAll) {
    if (sampler == "grid") continue;
    const auto trials = play(sampler, space_of(space.dump()), 14, [](const Json& p) { return p["x3"].get<double>(); });
    EXPECT_EQ(trials.size(), 14U) << sampler;
    EXPECT_EQ(trials.back().parameters.size(), 100U) << sampler;
  }
}

TEST(Samplers, ATenThousandthDrawCostsNoMoreThanTheFirst) {
  // A space of 10^8, which counts its configurations; quadratic work would take minutes here.
  const SearchSpace space = space_of(R"([{"name": "a", "expression": "randint", "values": [10000]},
                                         {"name": "b", "expression": "randint", "values": [10000]}])");
  for (const std::string sampler : {"random", "sobol", "grid"}) {
    EXPECT_EQ(play(sampler, space, 10'000, [](const Json&) { return 1; }).size(), 10'000U) << sampler;
  }
}

TEST(Sampling, IsParsedWithTheSpaceInMind) {
  const SearchSpace square = space_of(kSquare);
  const SearchSpace tree = space_of(kTree);
  EXPECT_EQ(parse_sampling(Json(), square)->type, "random");
  EXPECT_EQ(parse_sampling({{"type", "bayesian"}}, square)->type, "gp");
  EXPECT_EQ(parse_sampling({{"type", "bayesian"}, {"seed", 4}}, tree)->type, "tpe");
  EXPECT_EQ(parse_sampling({{"type", "sobol"}, {"seed", 4}}, tree)->seed, 4U);
  for (const auto& [json, text] : std::vector<std::pair<Json, std::string>>{
           {{{"type", "grid"}}, "make it a choice"}, {{{"type", "gp"}}, "use tpe"}, {{{"type", "cma"}}, "no sampling is called"}}) {
    const auto refused = parse_sampling(json, tree);
    ASSERT_FALSE(refused) << json;
    EXPECT_NE(refused.error().message.find(text), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace roost
