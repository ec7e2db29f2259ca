#include "sweeps/number_text.h"

#include <cmath>

#include <fmt/format.h>

namespace roost {
namespace {

std::string with_decimals(double value, int decimals) {
  const double size = std::abs(value);
  if (value == 0 || (size >= 0.01 && size < 1e6)) return fmt::format("{:.{}f}", value, decimals);
  return fmt::format("{:.{}e}", value, decimals);
}

}  // namespace

std::string clause_number(double value) { return with_decimals(value, 3); }

std::pair<std::string, std::string> compared_numbers(double a, double b) {
  int decimals = 3;
  while (decimals < 16 && a != b && with_decimals(a, decimals) == with_decimals(b, decimals)) ++decimals;
  return {with_decimals(a, decimals), with_decimals(b, decimals)};
}

}  // namespace roost
