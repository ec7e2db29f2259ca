#include "infer/json_number.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <limits>
#include <string>

namespace roost {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The end of the number by JSON's grammar, or null. `is_whole` says that it has neither a point nor an exponent.
const char* number_end(const char* at, const char* end, bool& is_whole) {
  if (at != end && *at == '-') ++at;
  if (at == end || !is_digit(*at)) return nullptr;
  if (*at++ != '0') {
    while (at != end && is_digit(*at)) ++at;
  }
  is_whole = true;
  if (at != end && *at == '.') {
    is_whole = false;
    if (++at == end || !is_digit(*at)) return nullptr;
    while (at != end && is_digit(*at)) ++at;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    is_whole = false;
    if (++at != end && (*at == '+' || *at == '-')) ++at;
    if (at == end || !is_digit(*at)) return nullptr;
    while (at != end && is_digit(*at)) ++at;
  }
  return at != end && is_digit(*at) ? nullptr : at;  // 01
}

template <std::floating_point T>
bool read_word(const char*& at, const char* end, T& value) {
  const bool quoted = at != end && *at == '"';
  std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (quoted) rest.remove_prefix(1);
  using Limits = std::numeric_limits<T>;
  const std::pair<std::string_view, T> words[] = {
      {"NaN", Limits::quiet_NaN()}, {"Infinity", Limits::infinity()}, {"-Infinity", -Limits::infinity()}};
  for (const auto& [word, meaning] : words) {
    if (!rest.starts_with(word)) continue;
    rest.remove_prefix(word.size());
    if (quoted && (rest.empty() || rest[0] != '"')) continue;
    if (quoted) rest.remove_prefix(1);
    at = rest.data();
    value = meaning;
    return true;
  }
  return false;
}

// Too large, or so small that it is rounded to zero or to a denormal: from_chars does not tell which.
template <std::floating_point T>
NumberProblem read_extreme(std::string_view text, T& value) {
  const double wide = std::strtod(std::string(text).c_str(), nullptr);
  if (std::abs(wide) > static_cast<double>(std::numeric_limits<T>::max())) return NumberProblem::kTooLarge;
  value = static_cast<T>(wide);
  return NumberProblem::kNone;
}

}  // namespace

template <std::floating_point T>
NumberProblem read_one(const char*& at, const char* end, T& value) {
  bool is_whole = false;
  const char* last = number_end(at, end, is_whole);
  if (!last) return read_word(at, end, value) ? NumberProblem::kNone : NumberProblem::kNotANumber;
  if (std::from_chars(at, last, value).ec != std::errc()) {
    if (const auto problem = read_extreme(std::string_view(at, static_cast<std::size_t>(last - at)), value);
        problem != NumberProblem::kNone) {
      return problem;
    }
  }
  at = last;
  return NumberProblem::kNone;
}

template <std::integral T>
NumberProblem read_one(const char*& at, const char* end, T& value) {
  bool is_whole = false;
  const char* last = number_end(at, end, is_whole);
  if (!last) return NumberProblem::kNotANumber;
  if (is_whole) {
    const auto [after, problem] = std::from_chars(at, last, value);
    if (problem == std::errc() && after == last) {
      at = last;
      return NumberProblem::kNone;
    }
    if (std::is_signed_v<T> || *at != '-') return NumberProblem::kTooLarge;
  }
  // 3.0, 1e3, -0
  double wide = 0;
  if (std::from_chars(at, last, wide).ec != std::errc()) return NumberProblem::kTooLarge;
  if (wide != std::trunc(wide)) return NumberProblem::kNotWhole;
  constexpr double kAbove = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  if (wide < static_cast<double>(std::numeric_limits<T>::min()) || wide >= kAbove) return NumberProblem::kTooLarge;
  value = static_cast<T>(wide);
  at = last;
  return NumberProblem::kNone;
}

template <class T>
NumberProblem read_number(const char*& at, const char* end, T& value) {
  return read_one(at, end, value);
}

template NumberProblem read_number(const char*&, const char*, float&);
template NumberProblem read_number(const char*&, const char*, double&);
template NumberProblem read_number(const char*&, const char*, std::uint8_t&);
template NumberProblem read_number(const char*&, const char*, std::uint16_t&);
template NumberProblem read_number(const char*&, const char*, std::uint32_t&);
template NumberProblem read_number(const char*&, const char*, std::uint64_t&);
template NumberProblem read_number(const char*&, const char*, std::int8_t&);
template NumberProblem read_number(const char*&, const char*, std::int16_t&);
template NumberProblem read_number(const char*&, const char*, std::int32_t&);
template NumberProblem read_number(const char*&, const char*, std::int64_t&);

}  // namespace roost
