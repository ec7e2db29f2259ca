#include "sweeps/portable_math.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sweeps/normal.h"

namespace roost {
namespace {

TEST(PortableMath, ExpAndLogAreThoseOfTheLibraryButForTheLastDigit) {
  for (double x = -707; x < 709; x += 0.137) EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 4e-16) << x;
  for (double x = 1e-310; x < 1e308; x *= 1.37) {
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::abs(std::log(x))) << x;
  }
  for (double x = 0.5; x < 2; x += 1e-3) EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::abs(std::log(x)) + 1e-18) << x;
}

TEST(PortableMath, EndsOfTheRange) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e9), 0);
  EXPECT_TRUE(std::isinf(portable_exp(1e9)));
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_TRUE(std::isinf(portable_log(0)));
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_TRUE(std::isinf(portable_log(INFINITY)));
}

TEST(Normal, CdfIsExactInBothTails) {
  for (double x = -37; x < 8; x += 0.0371) {
    EXPECT_NEAR(normal_cdf(x) / (0.5 * std::erfc(-x * std::sqrt(0.5))), 1, 1e-12) << x;
    EXPECT_NEAR(log_normal_cdf(x), std::log(0.5 * std::erfc(-x * std::sqrt(0.5))), 1e-12 * (1 + x * x)) << x;
  }
  EXPECT_EQ(normal_cdf(0), 0.5);
  EXPECT_EQ(normal_cdf(40), 1);
  EXPECT_EQ(normal_cdf(-40), 0);
  EXPECT_NEAR(normal_between(9, 10) / (0.5 * (std::erfc(9 * std::sqrt(0.5)) - std::erfc(10 * std::sqrt(0.5)))), 1, 1e-12);
  EXPECT_NEAR(normal_between(-1, 2), 0.8185946141203637, 1e-15);
}

TEST(Normal, QuantileIsTheInverseOfCdf) {
  for (double p = 1e-300; p < 1; p *= 1.7) EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1, 1e-12) << p;
  for (double p = 0.001; p < 1; p += 0.001) EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-15) << p;
}

TEST(Normal, LogImprovementHasNoHolesAndItsSlopeIsRight) {
  for (double z = -300; z < 8; z += 0.173) {
    const double h = 1e-4 * std::max(1.0, std::abs(z));
    const double slope = (log_improvement(z + h).value - log_improvement(z - h).value) / (2 * h);
    EXPECT_NEAR(slope / log_improvement(z).slope, 1, 1e-6) << z;
  }
  // phi(1) + Phi(1).
  EXPECT_NEAR(log_improvement(1).value, std::log(0.24197072451914337 + 0.8413447460685429), 1e-14);
  EXPECT_GT(log_improvement(-1e6).value, -1e13);
}

}  // namespace
}  // namespace roost
