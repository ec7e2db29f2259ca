#include "cli/work/sizes.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

// 0 for a unit there is not. Decimal, as human_bytes prints them, unless it has the "i".
double bytes_of_unit(std::string unit) {
  if (unit.empty() || unit == "b") return 1;
  if (unit.ends_with('b')) unit.pop_back();
  const bool binary = unit.ends_with('i');
  if (binary) unit.pop_back();
  constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = unit.size() == 1 ? kPrefixes.find(unit[0]) : std::string_view::npos;
  return power == std::string_view::npos
             ? 0
             : std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

Result<std::int64_t> parse_bytes(std::string_view text, std::string_view what) {
  const std::string_view words = trim(text);
  double number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number,
                                            std::chars_format::fixed);
  const std::string_view unit = words.substr(static_cast<std::size_t>(end - words.data()));
  const double factor = bytes_of_unit(lower(trim(unit)));
  constexpr double kMost = 1e18;
  const bool good = error == std::errc() && factor > 0 && std::isfinite(number) && number >= 0;
  if (!good || number * factor > kMost) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} \"{}\" is no size; write it like 500MB, 20GB or 1.5TiB", what,
                            printable(text)));
  }
  return static_cast<std::int64_t>(number * factor);
}

}  // namespace roost
