#include "sweeps/triangular.h"

#include <cmath>

namespace roost {
namespace {

using Index = Eigen::Index;

// target -= sum over k in [from, to) of factor(k) * column(k), eight or four at a time.
template <class Target, class Factor, class Column>
void subtract_columns(Target target, Index from, Index to, const Factor& f, const Column& c) {
  Index k = from;
  for (; k + 8 <= to; k += 8) {
    target -= ((f(k) * c(k) + f(k + 1) * c(k + 1)) + (f(k + 2) * c(k + 2) + f(k + 3) * c(k + 3))) +
              ((f(k + 4) * c(k + 4) + f(k + 5) * c(k + 5)) + (f(k + 6) * c(k + 6) + f(k + 7) * c(k + 7)));
  }
  for (; k + 4 <= to; k += 4) {
    target -= f(k) * c(k) + f(k + 1) * c(k + 1) + f(k + 2) * c(k + 2) + f(k + 3) * c(k + 3);
  }
  for (; k < to; ++k) target -= f(k) * c(k);
}

}  // namespace

bool factorise(Eigen::MatrixXd& a) {
  const Index n = a.rows();
  for (Index j = 0; j < n; ++j) {
    const Index length = n - j;
    subtract_columns(a.col(j).segment(j, length), 0, j, [&](Index k) { return a(j, k); },
                     [&](Index k) { return a.col(k).segment(j, length); });
    const double square = a(j, j);
    if (!(square > 0) || !std::isfinite(square)) return false;
    a.col(j).segment(j, length) /= std::sqrt(square);
    a.col(j).head(j).setZero();
  }
  return true;
}

void solve_lower(const Eigen::MatrixXd& l, Eigen::VectorXd& b) {
  const Index n = l.rows();
  for (Index k = 0; k < n; ++k) {
    b(k) /= l(k, k);
    b.tail(n - k - 1) -= b(k) * l.col(k).tail(n - k - 1);
  }
}

void solve_upper(const Eigen::MatrixXd& u, Eigen::VectorXd& b) {
  for (Index k = u.rows(); k-- > 0;) {
    b(k) /= u(k, k);
    b.head(k) -= b(k) * u.col(k).head(k);
  }
}

void solve_lower_rows(const Eigen::MatrixXd& l, Eigen::MatrixXd& rows) {
  for (Index i = 0; i < l.rows(); ++i) {
    subtract_columns(rows.col(i), 0, i, [&](Index k) { return l(i, k); }, [&](Index k) { return rows.col(k); });
    rows.col(i) /= l(i, i);
  }
}

Eigen::MatrixXd inverse_upper(const Eigen::MatrixXd& l) {
  const Index n = l.rows();
  // Column i of `inverse` is row i of L^-1; what is beyond its diagonal stays 0.
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    subtract_columns(inverse.col(i).head(i), 0, i, [&](Index k) { return l(i, k); },
                     [&](Index k) { return inverse.col(k).head(i); });
    inverse(i, i) = 1;
    inverse.col(i).head(i + 1) /= l(i, i);
  }
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(n, n);
  for (Index c = 0; c < n; ++c) {
    subtract_columns(product.col(c).head(c + 1), c, n, [&](Index i) { return -inverse(c, i); },
                     [&](Index i) { return inverse.col(i).head(c + 1); });
  }
  return product;
}

double dot(const Eigen::Ref<const Eigen::VectorXd>& a, const Eigen::Ref<const Eigen::VectorXd>& b) {
  double sums[4] = {0, 0, 0, 0};
  Index i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (Index k = 0; k < 4; ++k) sums[k] += a(i + k) * b(i + k);
  }
  for (; i < a.size(); ++i) sums[0] += a(i) * b(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace roost
