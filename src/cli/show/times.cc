#include "cli/show/times.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

std::int64_t seconds_of_unit(std::string_view unit) {
  if (unit == "s" || unit == "sec") return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  if (unit == "w") return 7 * 86400;
  return 0;
}

}  // namespace

std::string time_ago(Micros then, Micros now) {
  const std::int64_t seconds = (now - then) / kSecond;
  if (seconds < 2) return "just now";
  if (seconds < 60) return fmt::format("{} s ago", seconds);
  if (seconds < 3600) return fmt::format("{} min ago", seconds / 60);
  if (seconds < 86400) return fmt::format("{} h ago", seconds / 3600);
  const std::int64_t days = seconds / 86400;
  if (days < 30) return fmt::format("{} day{} ago", days, days == 1 ? "" : "s");
  return format_time(then).substr(0, 10);
}

std::string rough_duration(Micros length) {
  const std::int64_t seconds = std::max<std::int64_t>(0, (length + kSecond / 2) / kSecond);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", (seconds + 30) / 60);
  if (seconds < 2 * 86400) return fmt::format("{} h", (seconds + 1800) / 3600);
  return fmt::format("{} days", (seconds + 43200) / 86400);
}

std::string time_until(Micros then, Micros now) {
  return then - now < kSecond ? "now" : fmt::format("in {}", rough_duration(then - now));
}

Result<std::int64_t> parse_duration(std::string_view text, std::string_view what) {
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} \"{}\" is no duration; write it like 90s, 15m, 2h, 1h30m or 7d",
                            what, printable(text)));
  };
  constexpr std::int64_t kMost = 100LL * 365 * 86400;
  std::string_view rest = trim(text);
  std::int64_t total = 0;
  if (rest.empty()) return wrong();
  while (!rest.empty()) {
    std::size_t digits = 0;
    std::int64_t number = 0;
    while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
      number = std::min(kMost, number * 10 + (rest[digits] - '0'));
      ++digits;
    }
    std::size_t letters = digits;
    while (letters < rest.size() && std::isalpha(static_cast<unsigned char>(rest[letters])) != 0) {
      ++letters;
    }
    if (digits == 0) return wrong();
    const std::string_view unit = rest.substr(digits, letters - digits);
    const bool alone = unit.empty() && letters == rest.size() && total == 0;
    const std::int64_t factor = alone ? 1 : seconds_of_unit(unit);
    if (factor == 0) return wrong();
    if (number > kMost / factor || (total += number * factor) > kMost) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{} is longer than 100 years", what));
    }
    rest.remove_prefix(letters);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
  return total;
}

Result<Micros> parse_moment(std::string_view text, Micros now, std::string_view what) {
  if (const auto time = parse_time(text)) return *time;
  if (const auto seconds = parse_duration(text, what)) return now - *seconds * kSecond;
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{} \"{}\" is no time; write it like 2026-11-15, 2026-11-15T21:00:00Z or, "
                  "for how long ago, 2h",
                  what, printable(text)));
}

std::optional<Micros> time_field(const Json& object, const char* name) {
  if (!object.is_object()) return std::nullopt;
  const auto it = object.find(name);
  if (it == object.end() || !it->is_string()) return std::nullopt;
  const auto time = parse_time(it->get_ref<const std::string&>());
  return time ? std::optional<Micros>(*time) : std::nullopt;
}

std::optional<double> run_seconds(const Json& run, Micros now) {
  const auto start = time_field(run, "started_at");
  if (!start) return std::nullopt;
  const Micros end = time_field(run, "ended_at").value_or(now);
  return static_cast<double>(std::max<Micros>(0, end - *start)) / kSecond;
}

Micros now_micros() { return SystemClock().now(); }

}  // namespace roost
