#include "sweeps/gaussian_process.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sweeps/draws.h"
#include "sweeps/minimise.h"
#include "sweeps/triangular.h"

namespace roost {
namespace {

using Index = Eigen::Index;

Eigen::MatrixXd some_positive_matrix(Index n) {
  Draws draws(7);
  Eigen::MatrixXd a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) a(i, j) = a(j, i) = 0.1 * draws.normal() / std::sqrt(static_cast<double>(n));
    a(i, i) += 1;
  }
  return a;
}

GpData wave(Index n, double noise = 0) {
  Draws draws(3);
  GpData data;
  data.points.resize(n, 3);
  data.values.resize(n);
  data.is_categorical = {false, false, true};
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < 2; ++d) data.points(i, d) = draws.unit();
    data.points(i, 2) = draws.unit() < 0.5 ? 0.25 : 0.75;
    data.values(i) = std::sin(6 * data.points(i, 0)) + (data.points(i, 2) < 0.5 ? 1 : -1) + noise * draws.normal();
  }
  return data;
}

TEST(Triangular, FactorsSolveAndInvert) {
  for (const Index n : {1, 2, 7, 30}) {
    const Eigen::MatrixXd a = some_positive_matrix(n);
    Eigen::MatrixXd l = a;
    ASSERT_TRUE(factorise(l));
    EXPECT_LT((l * l.transpose() - a).cwiseAbs().maxCoeff(), 1e-14);
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, 1, 2);
    Eigen::VectorXd b = a * x;
    solve_lower(l, b);
    solve_upper(l.transpose(), b);
    EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-13);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(n, n);
    solve_lower_rows(l, rows);
    EXPECT_LT((l * rows.transpose() - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-13);
    const Eigen::MatrixXd inverse = inverse_upper(l);
    const Eigen::MatrixXd whole = inverse.selfadjointView<Eigen::Upper>();
    EXPECT_LT((whole * a - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(Triangular, RefusesWhatIsNotPositive) {
  Eigen::MatrixXd a(2, 2);
  a << 1, 2, 2, 1;
  EXPECT_FALSE(factorise(a));
  a << 1, std::nan(""), std::nan(""), 1;
  EXPECT_FALSE(factorise(a));
}

TEST(Minimise, FindsTheBottomAndStaysInTheBox) {
  const Slope valley = [](const std::vector<double>& x, std::vector<double>& gradient) {
    const double a = 1 - x[0];
    const double b = x[1] - x[0] * x[0];
    gradient = {-2 * a - 400 * b * x[0], 200 * b};
    return a * a + 100 * b * b;
  };
  const Minimum free = minimise(valley, {-1.2, 1}, {-5, -5}, {5, 5}, {200, 1e-8});
  EXPECT_NEAR(free.point[0], 1, 1e-5);
  EXPECT_NEAR(free.point[1], 1, 1e-5);
  const Minimum held = minimise(valley, {-1.2, 1}, {-5, -5}, {0.5, 5}, {200, 1e-8});
  EXPECT_NEAR(held.point[0], 0.5, 1e-9);
  EXPECT_NEAR(held.point[1], 0.25, 1e-5);
  const Minimum none = minimise([](const auto&, auto&) { return std::nan(""); }, {0.5, 0.5}, {0, 0}, {1, 1}, {});
  EXPECT_EQ(none.point, (std::vector<double>{0.5, 0.5}));
}

TEST(GaussianProcess, GoesThroughItsPointsAndKnowsWhereItDoesNotKnow) {
  const GpData data = wave(30);
  Kernel start;
  start.weights.assign(3, 1.0);
  const Kernel kernel = fit_kernel(data, start, 60);
  EXPECT_GT(kernel.weights[0], kernel.weights[1]) << "the second dimension does not matter";
  EXPECT_LT(kernel.noise, 1e-3);
  const auto process = GaussianProcess::make(data, Eigen::MatrixXd(0, 3), kernel);
  ASSERT_TRUE(process);
  for (Index i = 0; i < 30; ++i) {
    const auto belief = process->at({data.points(i, 0), data.points(i, 1), data.points(i, 2)});
    EXPECT_NEAR(belief.mean, data.values(i), 0.05);
    EXPECT_LT(belief.variance, 0.01);
  }
  EXPECT_NEAR(process->at({0.5, 0.5, 0.25}).mean, std::sin(3.0) + 1, 0.1);
  EXPECT_NEAR(process->at({0.5, 0.5, 0.75}).mean, std::sin(3.0) - 1, 0.1);
}

TEST(GaussianProcess, SeesNoise) {
  Kernel start;
  start.weights.assign(3, 1.0);
  EXPECT_GT(fit_kernel(wave(80, 0.3), start, 60).noise, 0.02);
}

TEST(GaussianProcess, SlopesAreDerivativesAndManyAreAsOne) {
  const GpData data = wave(25, 0.1);
  Kernel kernel;
  kernel.weights = {3, 1, 0.5};
  kernel.noise = 0.01;
  Eigen::MatrixXd pending(1, 3);
  pending << 0.9, 0.1, 0.25;
  const auto process = GaussianProcess::make(data, pending, kernel);
  ASSERT_TRUE(process);
  const std::vector<double> at = {0.31, 0.62, 0.75};
  GaussianProcess::Slopes slopes;
  const auto belief = process->at(at, slopes);
  for (std::size_t i = 0; i < 2; ++i) {
    auto more = at;
    auto less = at;
    more[i] += 1e-5;
    less[i] -= 1e-5;
    EXPECT_NEAR(slopes.mean[i], (process->at(more).mean - process->at(less).mean) / 2e-5, 1e-6);
    EXPECT_NEAR(slopes.variance[i], (process->at(more).variance - process->at(less).variance) / 2e-5, 1e-6);
  }
  EXPECT_EQ(slopes.mean[2], 0);
  Eigen::MatrixXd rows(2, 3);
  rows << 0.31, 0.62, 0.75, 0.9, 0.1, 0.25;
  const auto all = process->at_all(rows);
  EXPECT_NEAR(all[0].mean, belief.mean, 1e-12);
  EXPECT_NEAR(all[0].variance, belief.variance, 1e-12);

  const auto without = GaussianProcess::make(data, Eigen::MatrixXd(0, 3), kernel);
  const auto before = without->at({0.9, 0.1, 0.25});
  EXPECT_NEAR(all[1].mean, before.mean, 1e-9) << "what is pending changes no expectation";
  EXPECT_LT(all[1].variance, before.variance / 2);
}

}  // namespace
}  // namespace roost
