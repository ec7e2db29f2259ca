// What random and Sobol sampling draw has the distribution that was asked for, at a fixed seed: Kolmogorov and Smirnov's test
// for continuous expressions, chi-square for discrete ones, both at 1 %.
#include <algorithm>
#include <cmath>
#include <map>

#include "sweeps/sampler_fixture.h"

namespace roost {
namespace {

constexpr std::int64_t kDraws = 4000;

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

std::vector<double> draw(const std::string& sampler, const std::string& expression, const std::string& values) {
  const SearchSpace space = space_of("[{\"name\": \"x\", \"expression\": \"" + expression + "\", \"values\": " + values + "}]");
  const Suggester suggester({sampler, 5}, space, Goal::kMinimize);
  std::vector<double> drawn;
  for (std::int64_t i = 0; i < kDraws; ++i) drawn.push_back((*suggester.suggest(i))["x"].get<double>());
  return drawn;
}

using Below = std::function<double(double)>;  // the probability of a value up to x

double largest_gap(std::vector<double> drawn, const Below& below) {
  std::sort(drawn.begin(), drawn.end());
  double gap = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double p = below(drawn[i]);
    gap = std::max({gap, std::abs(p - static_cast<double>(i) / kDraws), std::abs(p - static_cast<double>(i + 1) / kDraws)});
  }
  return gap;
}

void expect_continuous(const std::string& expression, const std::string& values, const Below& below) {
  const double bound = 1.63 / std::sqrt(kDraws);  // 1 %
  const double random = largest_gap(draw("random", expression, values), below);
  const double sobol = largest_gap(draw("sobol", expression, values), below);
  EXPECT_LT(random, bound) << expression;
  EXPECT_LT(sobol, random / 4) << expression << ": Sobol points are far more even";
}

// Steps of q with the probability between the middles to their neighbours; rare ones are taken together.
void expect_steps(const std::string& expression, const std::string& values, double q, const Below& below) {
  std::map<double, double> counts;
  for (const double value : draw("random", expression, values)) {
    EXPECT_NEAR(value / q, std::nearbyint(value / q), 1e-9) << expression;
    counts[std::nearbyint(value / q)] += 1;
  }
  double square = 0;
  double cells = 0;
  double expected = 0;
  double counted = 0;
  double from = -INFINITY;
  const double last = counts.rbegin()->first;
  for (double step = counts.begin()->first; step <= last; ++step) {
    const double to = step == last ? INFINITY : (step + 0.5) * q;
    expected += kDraws * (below(to) - below(from));
    counted += counts.contains(step) ? counts[step] : 0;
    from = to;
    if (expected < 8 && step < last) continue;
    square += (counted - expected) * (counted - expected) / std::max(expected, 1.0);
    cells += 1;
    expected = counted = 0;
  }
  ASSERT_GE(cells, 3) << expression;
  // Wilson and Hilferty's approximation of the 99 % point.
  const double k = cells - 1;
  const double bound = k * std::pow(1 - 2 / (9 * k) + 2.326 * std::sqrt(2 / (9 * k)), 3);
  EXPECT_LT(square, bound) << expression << " with " << cells << " cells";
}

TEST(Distribution, Uniform) {
  expect_continuous("uniform", "[-2, 3]", [](double x) { return (x + 2) / 5; });
}
TEST(Distribution, LogUniform) {
  expect_continuous("loguniform", "[-9, -1]", [](double x) { return (std::log(x) + 9) / 8; });
}
TEST(Distribution, Normal) {
  expect_continuous("normal", "[10, 2]", [](double x) { return normal_below((x - 10) / 2); });
}
TEST(Distribution, LogNormal) {
  expect_continuous("lognormal", "[1, 0.5]", [](double x) { return normal_below((std::log(x) - 1) / 0.5); });
}
TEST(Distribution, QUniform) {
  expect_steps("quniform", "[0, 1, 0.1]", 0.1, [](double x) { return std::clamp(x, 0.0, 1.0); });
}
TEST(Distribution, QLogUniform) {
  expect_steps("qloguniform", "[0, 4, 2]", 2, [](double x) { return x <= 1 ? 0 : std::min(std::log(x) / 4, 1.0); });
}
TEST(Distribution, QNormal) {
  expect_steps("qnormal", "[0, 3, 0.5]", 0.5, [](double x) { return normal_below(x / 3); });
}
TEST(Distribution, QLogNormal) {
  expect_steps("qlognormal", "[2, 0.5, 1]", 1, [](double x) { return x <= 0 ? 0 : normal_below((std::log(x) - 2) / 0.5); });
}

// A finite space is drawn without repeats, so each trial is asked as if it were the only one.
TEST(Distribution, RandintAndChoice) {
  expect_steps("randint", "[7]", 1, [](double x) { return std::clamp((x + 0.5) / 7, 0.0, 1.0); });
  expect_steps("choice", "[0, 1, 2, 3, 4]", 1, [](double x) { return std::clamp((x + 0.5) / 5, 0.0, 1.0); });
}

TEST(Distribution, SobolFillsTheSquareMoreEvenlyThanChance) {
  const SearchSpace space = space_of(R"([{"name": "x", "expression": "uniform", "values": [0, 1]},
                                         {"name": "y", "expression": "uniform", "values": [0, 1]}])");
  const auto empty_boxes = [&](const std::string& sampler) {
    const Suggester suggester({sampler, 11}, space, Goal::kMinimize);
    std::vector<int> boxes(256);
    for (std::int64_t i = 0; i < 256; ++i) {
      const Json p = *suggester.suggest(i);
      ++boxes[static_cast<std::size_t>(p["x"].get<double>() * 16) * 16 + static_cast<std::size_t>(p["y"].get<double>() * 16)];
    }
    return std::count(boxes.begin(), boxes.end(), 0);
  };
  EXPECT_EQ(empty_boxes("sobol"), 0);
  EXPECT_GT(empty_boxes("random"), 60);
}

}  // namespace
}  // namespace roost
