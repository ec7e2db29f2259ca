#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

namespace roost {

// A Gaussian process over points in [0, 1]^d whose values have mean 0 and variance about 1. The kernel is Matern 5/2 of the
// weighted distance; in a categorical dimension two points are 0 or 1 apart.
struct Kernel {
  std::vector<double> weights;  // inverse squares of the length scales
  double scale = 1;             // variance of the function
  double noise = 1e-2;          // variance of what is added to it when it is observed
};

struct GpData {
  Eigen::MatrixXd points;  // a row each
  Eigen::VectorXd values;
  std::vector<bool> is_categorical;  // by dimension
};

// The kernel that is likeliest by the data and a prior that keeps away from extremes. Length scales go from `start`.
Kernel fit_kernel(const GpData& data, const Kernel& start, int evaluations);

class GaussianProcess {
 public:
  // `pending` are points whose values will be known later: there is less to be learnt near them, while what is expected stays.
  // None if no kernel of this kind can go with the data.
  static std::optional<GaussianProcess> make(GpData data, const Eigen::MatrixXd& pending, Kernel kernel);

  const Kernel& kernel() const { return kernel_; }
  Eigen::Index dimensions() const { return points_.cols(); }

  struct Belief {
    double mean = 0;
    double variance = 0;  // of the function, noise aside; above 0
  };
  Belief at(const std::vector<double>& point) const;
  struct Slopes {
    std::vector<double> mean;
    std::vector<double> variance;
  };
  // With the derivatives by each dimension; 0 in categorical ones.
  Belief at(const std::vector<double>& point, Slopes& slopes) const;
  // Of each row.
  std::vector<Belief> at_all(const Eigen::MatrixXd& points) const;

 private:
  GaussianProcess() = default;

  Eigen::MatrixXd points_;  // the data's, then the pending ones
  std::vector<bool> is_categorical_;
  Kernel kernel_;
  Eigen::MatrixXd lower_;
  Eigen::MatrixXd upper_;
  Eigen::VectorXd factors_;  // the mean is the kernel's row times these
};

}  // namespace roost
