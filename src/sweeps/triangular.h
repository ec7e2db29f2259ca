#pragma once

#include <Eigen/Core>

namespace roost {

// Cholesky's factorisation and what goes with it, written so that every element comes from the same operations in the same
// order on every machine: only sums of columns, element by element. Eigen's own products and decompositions order their sums
// by the width of the processor's registers and the size of its caches.

// Makes of the lower triangle of a symmetric matrix the L with L L^T = A; the upper is set to 0. False, and no use of it, if A is
// not positive definite.
bool factorise(Eigen::MatrixXd& a);

// b := L^-1 b.
void solve_lower(const Eigen::MatrixXd& l, Eigen::VectorXd& b);
// b := U^-1 b, with U = L^T.
void solve_upper(const Eigen::MatrixXd& u, Eigen::VectorXd& b);
// For each row r of `rows`: r := L^-1 r. Many at once are quicker.
void solve_lower_rows(const Eigen::MatrixXd& l, Eigen::MatrixXd& rows);

// The upper triangle of A^-1, from L.
Eigen::MatrixXd inverse_upper(const Eigen::MatrixXd& l);

// Four sums, of every fourth product each, then those.
double dot(const Eigen::Ref<const Eigen::VectorXd>& a, const Eigen::Ref<const Eigen::VectorXd>& b);

}  // namespace roost
