#include "base/clock.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

namespace roost {

Micros SystemClock::now() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Micros SystemClock::steady() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string format_time(Micros time) {
  Micros fraction = time % kSecond;
  std::time_t seconds = static_cast<std::time_t>(time / kSecond);
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     fraction);
}

namespace {

// Takes exactly `count` digits off the front of `text`; -1 if they are not there.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<Micros> parse_time(std::string_view text) {
  const auto bad = [whole = std::string(text.substr(0, 60))] {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a time; write it like 2026-11-15T21:00:00Z", whole));
  };
  std::tm parts{};
  const int year = take_digits(text, 4);
  if (year < 1970 || !take(text, '-')) return bad();
  const int month = take_digits(text, 2);
  if (month < 1 || month > 12 || !take(text, '-')) return bad();
  const int day = take_digits(text, 2);
  if (day < 1 || day > 31) return bad();
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  std::tm normal = parts;
  if (timegm(&normal) < 0 || normal.tm_mday != day) return bad();  // February 30
  Micros micros = 0;
  int offset_minutes = 0;
  if (!text.empty()) {
    if (!take(text, 'T') && !take(text, ' ')) return bad();
    parts.tm_hour = take_digits(text, 2);
    if (parts.tm_hour < 0 || parts.tm_hour > 23 || !take(text, ':')) return bad();
    parts.tm_min = take_digits(text, 2);
    if (parts.tm_min < 0 || parts.tm_min > 59 || !take(text, ':')) return bad();
    parts.tm_sec = take_digits(text, 2);
    if (parts.tm_sec < 0 || parts.tm_sec > 60) return bad();
    if (take(text, '.')) {
      Micros scale = kSecond;
      if (text.empty() || text.front() < '0' || text.front() > '9') return bad();
      while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        scale /= 10;
        micros += scale * (text.front() - '0');
        text.remove_prefix(1);
      }
    }
    if (!take(text, 'Z') && !take(text, 'z')) {
      const bool east = !text.empty() && text.front() == '+';
      if (!take(text, '+') && !take(text, '-')) return bad();
      const int hours = take_digits(text, 2);
      if (hours < 0 || hours > 23 || !take(text, ':')) return bad();
      const int minutes = take_digits(text, 2);
      if (minutes < 0 || minutes > 59) return bad();
      offset_minutes = (east ? 1 : -1) * (hours * 60 + minutes);
    }
    if (!text.empty()) return bad();
  }
  return (static_cast<Micros>(timegm(&parts)) - offset_minutes * 60) * kSecond + micros;
}

}  // namespace roost
