#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace roost {

// exp and log made of additions, multiplications and divisions alone, which every processor rounds alike: those of a C
// library differ in the last digit from one version to the next, and a search that learns makes other draws of it.
// Both are right to about 1e-15.

// Of x from -708 to 709. Without a branch, so that a loop over many takes several at a time.
inline double portable_exp_within(double x) {
  constexpr double kLog2E = 1.44269504088896338700e+00;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 0x1.8p52;  // adding it leaves a whole number in the last bits
  const double shifted = x * kLog2E + kRound;
  const double n = shifted - kRound;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  // Half of the power of two and then twice, since 2^1024 is no number.
  return 2 * (sum * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1022) << 52));
}

// 0 below -708; infinite above 709.
inline double portable_exp(double x) {
  if (x < -708) return 0;
  if (x > 709) return std::numeric_limits<double>::infinity();
  return portable_exp_within(x);
}

double portable_log(double x);  // -inf at 0, NaN below

}  // namespace roost
