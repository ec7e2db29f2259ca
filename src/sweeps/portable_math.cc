#include "sweeps/portable_math.h"

namespace roost {

double portable_log(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (x > std::numeric_limits<double>::max()) return x;
  double exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // denormal
    x *= 0x1.0p54;
    exponent = -54;
  }
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.41421356237309504880) {
    m /= 2;
    exponent += 1;
  }
  // log m = 2 artanh(s) with s = (m - 1) / (m + 1), at most 0.1716.
  const double f = m - 1;
  const double s = f / (m + 1);
  const double t = s * s;
  double sum = 1.0 / 23;
  for (int k = 21; k >= 3; k -= 2) sum = sum * t + 1.0 / k;
  // 2 s = f - s f, so that the leading term is exact.
  const double rest = s * (2 * t * sum - f);
  return exponent * kLn2High + (f + (rest + exponent * kLn2Low));
}

}  // namespace roost
