#pragma once

namespace roost {

// The normal distribution, the same to the last bit on every machine.
double normal_cdf(double x);
double normal_between(double a, double b);  // of the probability, for a <= b; exact in both tails
double log_normal_cdf(double x);  // exact far to the left, where normal_cdf is 0
// The inverse of normal_cdf for p in (0, 1), to 1e-15 (Wichura 1988, algorithm AS 241, PPND16); -inf and inf at the ends.
double normal_quantile(double p);
// log(phi(z) + z Phi(z)), the logarithm of the expected improvement of a standard normal, and its derivative.
struct LogImprovement {
  double value = 0;
  double slope = 0;
};
LogImprovement log_improvement(double z);

}  // namespace roost
