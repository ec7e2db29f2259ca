#include "sweeps/normal.h"

#include <array>
#include <cmath>
#include <limits>

#include "sweeps/portable_math.h"

namespace roost {
namespace {

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
constexpr double kOneBySqrtTwoPi = 0.39894228040143267794;

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double x) {
  double sum = 0;
  for (std::size_t i = c.size(); i-- > 0;) sum = sum * x + c[i];
  return sum;
}

double ratio(const Coefficients& above, const Coefficients& below, double x) {
  return polynomial(above, x) / polynomial(below, x);
}

constexpr Coefficients kMiddleAbove = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                       1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                       4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients kMiddleBelow = {1.0,
                                       4.2313330701600911252e+1,
                                       6.8718700749205790830e+2,
                                       5.3941960214247511077e+3,
                                       2.1213794301586595867e+4,
                                       3.9307895800092710610e+4,
                                       2.8729085735721942674e+4,
                                       5.2264952788528545610e+3};
constexpr Coefficients kTailAbove = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kTailBelow = {1.0,
                                     2.05319162663775882187e0,
                                     1.67638483018380384940e0,
                                     6.89767334985100004550e-1,
                                     1.48103976427480074590e-1,
                                     1.51986665636164571966e-2,
                                     5.47593808499534494600e-4,
                                     1.05075007164441684324e-9};
constexpr Coefficients kFarAbove = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kFarBelow = {1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};

// Mills' ratio (1 - Phi(x)) / phi(x) for x >= 0 by Taylor's series around the nearest of a row of points. From
// R' = x R - 1 follow all its derivatives, and the values at the points, one from the next greater one: in that direction
// errors shrink.
constexpr double kStep = 0.25;
constexpr std::size_t kPoints = 41;  // up to 10
constexpr std::size_t kTerms = 18;
using Series = std::array<double, kTerms>;

double far_mills(double x) {  // the continued fraction, for x >= 9
  double fraction = x;
  for (int k = 30; k > 0; --k) fraction = x + k / fraction;
  return 1 / fraction;
}

Series series_around(double x, double value) {
  Series c{};
  c[0] = value;
  c[1] = x * value - 1;
  for (std::size_t k = 1; k + 1 < kTerms; ++k) c[k + 1] = (x * c[k] + c[k - 1]) / static_cast<double>(k + 1);
  return c;
}

double sum_series(const Series& c, double h) {
  double sum = 0;
  for (std::size_t i = kTerms; i-- > 0;) sum = sum * h + c[i];
  return sum;
}

std::array<Series, kPoints> make_mills_table() {
  std::array<Series, kPoints> table{};
  double value = far_mills(kStep * (kPoints - 1));
  for (std::size_t i = kPoints; i-- > 0;) {
    table[i] = series_around(kStep * static_cast<double>(i), value);
    value = sum_series(table[i], -kStep);
  }
  return table;
}

double mills(double x) {
  static const std::array<Series, kPoints> kTable = make_mills_table();
  if (x >= kStep * (kPoints - 1)) return far_mills(x);
  const auto nearest = static_cast<std::size_t>(x / kStep + 0.5);
  return sum_series(kTable[nearest], x - kStep * static_cast<double>(nearest));
}

double density(double x) { return kOneBySqrtTwoPi * portable_exp(-0.5 * x * x); }

}  // namespace

double normal_cdf(double x) {
  if (std::isnan(x)) return x;
  const double tail = std::abs(x) > 38 ? 0 : density(x) * mills(std::abs(x));
  return x > 0 ? 1 - tail : tail;
}

double normal_between(double a, double b) {
  if (a > 0) return normal_cdf(-a) - normal_cdf(-b);
  return normal_cdf(b) - normal_cdf(a);
}

double log_normal_cdf(double x) {
  if (x > 0) return portable_log(normal_cdf(x));
  return -0.5 * x * x - kLogSqrtTwoPi + portable_log(x < -1e9 ? -1 / x : mills(-x));
}

double normal_quantile(double p) {
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  if (p >= 1) return std::numeric_limits<double>::infinity();
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(kMiddleAbove, kMiddleBelow, 0.180625 - q * q);
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? ratio(kTailAbove, kTailBelow, r - 1.6) : ratio(kFarAbove, kFarBelow, r - 5);
  return q < 0 ? -x : x;
}

LogImprovement log_improvement(double z) {
  // d/dz (phi + z Phi) = Phi.
  const double log_density = -0.5 * z * z - kLogSqrtTwoPi;
  if (z > -5) {
    const double below = normal_cdf(z);
    const double improvement = density(z) + z * below;
    return {portable_log(improvement), below / improvement};
  }
  const double m = mills(-z);
  // 1 + z m loses its digits far out: there 1 + z m is 1 / z^2 - 3 / z^4 + 15 / z^6.
  const double w = 1 / (z * z);
  const double rest = z > -100 ? 1 + z * m : (1 - (3 - 15 * w) * w) * w;
  return {log_density + portable_log(rest), m / rest};
}

}  // namespace roost
