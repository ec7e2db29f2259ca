// The same seed gives the same sweep with every compiler and on every machine: what the samplers draw is written down here.
// After a change that is meant to draw otherwise, put in what the failure shows.
#include <cstdint>

#include <fmt/format.h>

#include "sweeps/sampler_fixture.h"

namespace roost {
namespace {

constexpr const char* kTree = R"([
  {"name": "kind", "expression": "choice", "values": ["a", "b"]},
  {"name": "depth", "expression": "randint", "values": [20], "when": {"name": "kind", "values": ["a"]}},
  {"name": "width", "expression": "quniform", "values": [1, 30, 1], "when": {"name": "kind", "values": ["b"]}}])";

// Of additions and multiplications alone.
double score(const Json& parameters) {
  double sum = 0;
  double place = 1;
  for (const auto& value : parameters) {
    const double x = (value.is_number() ? value.get<double>() : value == "b" ? 0.0 : 1.0) - 0.3 * place;
    sum += x * x / (1 + x * x);
    place += 1;
  }
  return sum;
}

// FNV-1a of all the parameters, as they are written.
std::string digest(const std::string& sampler, const char* space) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  std::vector<Trial> trials = play(sampler, space_of(space), 30, score, 12);
  // Four more while others run.
  for (std::int64_t number = 30; number < 34; ++number) {
    auto more = suggest({sampler, 12}, space_of(space), Goal::kMinimize, trials, number);
    if (more) trials.push_back({number, *more, TrialState::kRunning, {}});
  }
  for (const Trial& trial : trials) {
    for (const char letter : trial.parameters.dump()) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

TEST(Repeatable, Random) {
  EXPECT_EQ(digest("random", kTen), "2fe06946165fe5c7");
  EXPECT_EQ(digest("random", kTree), "a537d6f60a088301");
}
TEST(Repeatable, Sobol) {
  EXPECT_EQ(digest("sobol", kTen), "676710f3fefcc142");
  EXPECT_EQ(digest("sobol", kTree), "42e6bfb36fd589ef");
}
TEST(Repeatable, Grid) { EXPECT_EQ(digest("grid", kTree), "84e43060cc824b5f"); }
TEST(Repeatable, Tpe) {
  EXPECT_EQ(digest("tpe", kTen), "03ffd92a7545bc6d");
  EXPECT_EQ(digest("tpe", kTree), "18de85e8ada94fbe");
}
TEST(Repeatable, Gp) { EXPECT_EQ(digest("gp", kTen), "19711df6ed4fbd69"); }

TEST(Repeatable, TheFirstRandomDraw) {
  EXPECT_EQ((*suggest({"random", 12}, space_of(kTen), Goal::kMinimize, {}, 0)).dump(),
            R"({"choice":"a","lognormal":0.43674277828350117,"loguniform":0.005626696188024246,"normal":11.984545337735089,)"
            R"("numbers":16,"qlognormal":2,"qloguniform":2,"qnormal":-4.0,"quniform":0.3,"randint":2,"uniform":0.9013509066081689})");
}

}  // namespace
}  // namespace roost
