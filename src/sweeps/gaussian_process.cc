#include "sweeps/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sweeps/minimise.h"
#include "sweeps/portable_math.h"
#include "sweeps/triangular.h"

namespace roost {
namespace {

using Index = Eigen::Index;

constexpr double kNoiseFloor = 1e-8;
constexpr double kSqrtFive = 2.23606797749978969641;
constexpr double kLeastVariance = 1e-12;

// Of the squared distances in `squares`: writes the kernel's values, without scale, and their derivatives by the square.
void matern(Eigen::VectorXd& squares, Eigen::VectorXd* derivatives) {
  const Index n = squares.size();
  Eigen::VectorXd decays(n);
  double* const __restrict values = squares.data();
  double* const __restrict decay = decays.data();
  for (Index i = 0; i < n; ++i) {
    const double r = kSqrtFive * std::sqrt(values[i]);
    values[i] = r;
    decay[i] = portable_exp_within(r > 700 ? -700 : -r);
  }
  if (derivatives) *derivatives = -5.0 / 6 * (1 + squares.array()) * decays.array();
  squares.array() = (1 + squares.array() + squares.array() * squares.array() / 3) * decays.array();
}

// Squared differences of all pairs, by dimension: of point j with points 0 to j - 1 from j (j - 1) / 2 on.
Eigen::MatrixXd pair_differences(const GpData& data) {
  const Index n = data.points.rows();
  Eigen::MatrixXd pairs(n * (n - 1) / 2, data.points.cols());
  for (Index d = 0; d < data.points.cols(); ++d) {
    const bool categorical = data.is_categorical[static_cast<std::size_t>(d)];
    for (Index j = 1, at = 0; j < n; ++j) {
      for (Index i = 0; i < j; ++i, ++at) {
        const double difference = data.points(i, d) - data.points(j, d);
        pairs(at, d) = categorical ? (difference == 0 ? 0 : 1) : difference * difference;
      }
    }
  }
  return pairs;
}

// Minus the logarithm of the likelihood and the prior, as a function of the logarithms of weights, scale and noise.
class Fit {
 public:
  explicit Fit(const GpData& data) : data_(data), pairs_(pair_differences(data)) {}

  double operator()(const std::vector<double>& logs, std::vector<double>& gradient) {
    const Index n = data_.points.rows();
    const Kernel kernel = kernel_of(logs);
    Eigen::VectorXd values = Eigen::VectorXd::Zero(pairs_.rows());
    for (Index d = 0; d < pairs_.cols(); ++d) values += kernel.weights[static_cast<std::size_t>(d)] * pairs_.col(d);
    Eigen::VectorXd slopes;
    matern(values, &slopes);

    Eigen::MatrixXd lower(n, n);
    for (Index j = 0, at = 0; j < n; ++j) {
      lower(j, j) = kernel.scale + kernel.noise;
      for (Index i = 0; i < j; ++i, ++at) lower(j, i) = kernel.scale * values(at);
    }
    if (!factorise(lower)) return std::numeric_limits<double>::infinity();
    Eigen::VectorXd solved = data_.values;
    solve_lower(lower, solved);
    double cost = 0.5 * dot(solved, solved);
    for (Index i = 0; i < n; ++i) cost += portable_log(lower(i, i));
    solve_upper(lower.transpose(), solved);  // now the inverse times the values

    // Half of (inverse - solved solved^T), by pair; a pair stands for both its orders.
    const Eigen::MatrixXd inverse = inverse_upper(lower);
    double trace = 0;
    double by_scale = 0;
    for (Index j = 0, at = 0; j < n; ++j) {
      const double own = 0.5 * (inverse(j, j) - solved(j) * solved(j));
      trace += own;
      for (Index i = 0; i < j; ++i, ++at) {
        const double pull = inverse(i, j) - solved(i) * solved(j);
        by_scale += pull * values(at);
        slopes(at) *= pull * kernel.scale;
      }
    }
    for (Index d = 0; d < pairs_.cols(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      const double w = kernel.weights[i];
      gradient[i] = w * dot(slopes, pairs_.col(d)) - 0.1 / w + 0.1 * w;
      cost += 0.1 / w + 0.1 * w;
    }
    const auto scale = static_cast<std::size_t>(pairs_.cols());
    gradient[scale] = kernel.scale * (by_scale + trace) - 1 + kernel.scale;
    cost += kernel.scale - logs[scale];
    const double noise = kernel.noise - kNoiseFloor;
    gradient[scale + 1] = noise * trace - 0.1 + 30 * noise;
    cost += 30 * noise - 0.1 * logs[scale + 1];
    return cost;
  }

  static Kernel kernel_of(const std::vector<double>& logs) {
    Kernel kernel;
    for (std::size_t i = 0; i + 2 < logs.size(); ++i) kernel.weights.push_back(portable_exp(logs[i]));
    kernel.scale = portable_exp(logs[logs.size() - 2]);
    kernel.noise = portable_exp(logs.back()) + kNoiseFloor;
    return kernel;
  }

 private:
  const GpData& data_;
  Eigen::MatrixXd pairs_;
};

// Weighted squared distances of `point` from each row.
Eigen::VectorXd squared_distances(const Eigen::MatrixXd& rows, const std::vector<bool>& is_categorical,
                                  const std::vector<double>& weights, const std::vector<double>& point) {
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(rows.rows());
  for (Index d = 0; d < rows.cols(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (is_categorical[i]) {
      for (Index r = 0; r < rows.rows(); ++r) squares(r) += rows(r, d) == point[i] ? 0 : weights[i];
    } else {
      squares.array() += weights[i] * (rows.col(d).array() - point[i]).square();
    }
  }
  return squares;
}

}  // namespace

Kernel fit_kernel(const GpData& data, const Kernel& start, int evaluations) {
  std::vector<double> logs;
  for (const double weight : start.weights) logs.push_back(portable_log(weight));
  logs.push_back(portable_log(start.scale));
  logs.push_back(portable_log(std::max(start.noise - kNoiseFloor, 1e-9)));
  std::vector<double> lower(logs.size(), -8);
  std::vector<double> upper(logs.size(), 8);
  lower.back() = -20;
  upper.back() = 0.5;
  Fit fit(data);
  const Minimum found = minimise([&](const auto& at, auto& gradient) { return fit(at, gradient); }, logs, lower, upper,
                                 {evaluations, 1e-2});
  return Fit::kernel_of(found.point);
}

std::optional<GaussianProcess> GaussianProcess::make(GpData data, const Eigen::MatrixXd& pending, Kernel kernel) {
  GaussianProcess made;
  const Index n = data.points.rows();
  made.points_.resize(n + pending.rows(), data.points.cols());
  made.points_.topRows(n) = data.points;
  if (pending.rows() > 0) made.points_.bottomRows(pending.rows()) = pending;
  made.is_categorical_ = std::move(data.is_categorical);
  made.kernel_ = std::move(kernel);
  const Index all = made.points_.rows();
  made.lower_.resize(all, all);
  for (Index j = 0; j < all; ++j) {
    std::vector<double> point(static_cast<std::size_t>(made.points_.cols()));
    for (Index d = 0; d < made.points_.cols(); ++d) point[static_cast<std::size_t>(d)] = made.points_(j, d);
    Eigen::VectorXd row = squared_distances(made.points_, made.is_categorical_, made.kernel_.weights, point);
    matern(row, nullptr);
    made.lower_.col(j) = made.kernel_.scale * row;
    made.lower_(j, j) = made.kernel_.scale + made.kernel_.noise;
  }
  if (!factorise(made.lower_)) return std::nullopt;
  made.upper_ = made.lower_.transpose();
  // The first n rows of L are those of the data alone.
  made.factors_ = Eigen::VectorXd::Zero(all);
  const Eigen::MatrixXd own = made.lower_.topLeftCorner(n, n);
  solve_lower(own, data.values);
  solve_upper(own.transpose(), data.values);
  made.factors_.head(n) = data.values;
  return made;
}

GaussianProcess::Belief GaussianProcess::at(const std::vector<double>& point) const {
  Eigen::VectorXd row = squared_distances(points_, is_categorical_, kernel_.weights, point);
  matern(row, nullptr);
  row *= kernel_.scale;
  const double mean = dot(row, factors_);
  solve_lower(lower_, row);
  return {mean, std::max(kernel_.scale - dot(row, row), kLeastVariance)};
}

GaussianProcess::Belief GaussianProcess::at(const std::vector<double>& point, Slopes& slopes) const {
  Eigen::VectorXd row = squared_distances(points_, is_categorical_, kernel_.weights, point);
  Eigen::VectorXd by_square;
  matern(row, &by_square);
  row *= kernel_.scale;
  const double mean = dot(row, factors_);
  solve_lower(lower_, row);
  const double left = kernel_.scale - dot(row, row);
  solve_upper(upper_, row);
  slopes.mean.assign(point.size(), 0);
  slopes.variance.assign(point.size(), 0);
  const Eigen::VectorXd mean_part = (by_square.array() * factors_.array()).matrix();
  const Eigen::VectorXd variance_part = (by_square.array() * row.array()).matrix();
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (is_categorical_[i]) continue;
    const Eigen::VectorXd away = point[i] - points_.col(static_cast<Index>(i)).array();
    const double factor = 2 * kernel_.scale * kernel_.weights[i];
    slopes.mean[i] = factor * dot(mean_part, away);
    if (left > kLeastVariance) slopes.variance[i] = -2 * factor * dot(variance_part, away);
  }
  return {mean, std::max(left, kLeastVariance)};
}

std::vector<GaussianProcess::Belief> GaussianProcess::at_all(const Eigen::MatrixXd& points) const {
  // Column i has the kernel of every given point with the i-th of ours.
  Eigen::MatrixXd rows(points.rows(), points_.rows());
  for (Index i = 0; i < points_.rows(); ++i) {
    std::vector<double> point(static_cast<std::size_t>(points_.cols()));
    for (Index d = 0; d < points_.cols(); ++d) point[static_cast<std::size_t>(d)] = points_(i, d);
    Eigen::VectorXd column = squared_distances(points, is_categorical_, kernel_.weights, point);
    matern(column, nullptr);
    rows.col(i) = kernel_.scale * column;
  }
  Eigen::VectorXd means = Eigen::VectorXd::Zero(points.rows());
  for (Index i = 0; i < points_.rows(); ++i) means += factors_(i) * rows.col(i);
  solve_lower_rows(lower_, rows);
  Eigen::VectorXd explained = Eigen::VectorXd::Zero(points.rows());
  for (Index i = 0; i < points_.rows(); ++i) explained += rows.col(i).cwiseAbs2();
  std::vector<Belief> beliefs;
  for (Index r = 0; r < points.rows(); ++r) {
    beliefs.push_back({means(r), std::max(kernel_.scale - explained(r), kLeastVariance)});
  }
  return beliefs;
}

}  // namespace roost
