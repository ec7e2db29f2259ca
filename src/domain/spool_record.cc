#include "domain/spool_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::array<std::string_view, 13> kKinds = {
    "scalar", "list",           "row",       "table",       "image", "histogram", "confusion_matrix",
    "accuracy_table", "residuals", "predictions", "tag", "property", "param"};
constexpr std::size_t kMaxName = 1000;
constexpr std::size_t kMaxBins = 10'000;

bool take(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

template <class Number>
bool take_number(std::string_view& rest, Number& number) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

// True only for times a clock can show, so that the conversion below cannot overflow.
bool to_micros(double seconds, Micros& at) {
  if (!(seconds >= 0 && seconds < 1e11)) return false;
  at = static_cast<Micros>(std::llround(seconds * static_cast<double>(kSecond)));
  return true;
}

bool is_plain_name(std::string_view name) {
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return !name.empty() && name.size() <= kMaxName;
}

// The number, unless it has a fraction or an exponent or is too large.
std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t whole = 0;
  if (!take_number(text, whole) || !text.empty()) return std::nullopt;
  return whole;
}

// ["scalar","name",number,step or null,time]; false for anything else, which then goes the long way.
bool parse_plain_scalar(std::string_view line, SpoolRecord& record) {
  if (!take(line, "[\"scalar\",\"")) return false;
  const std::size_t end = line.find_first_of("\"\\");
  if (end == std::string_view::npos || line[end] != '"') return false;
  const std::string_view name = line.substr(0, end);
  line.remove_prefix(end + 1);
  if (!is_plain_name(name) || !take(line, ",")) return false;
  // from_chars also reads "inf" and "nan", which are not JSON.
  if (line.empty() || (line.front() != '-' && (line.front() < '0' || line.front() > '9'))) return false;
  const std::string_view value = line.substr(0, line.find(','));
  if (!take_number(line, record.number) || !std::isfinite(record.number) || !take(line, ",")) {
    return false;
  }
  record.whole = integer_in(value);
  record.step.reset();
  if (!take(line, "null")) {
    std::int64_t step = 0;
    if (!take_number(line, step)) return false;
    record.step = step;
  }
  double seconds = 0;
  if (!take(line, ",") || !take_number(line, seconds) || line != "]" ||
      !to_micros(seconds, record.at)) {
    return false;
  }
  record.kind = kKinds[0];
  record.name = name;
  record.is_number = true;
  return true;
}

bool is_finite_list(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_number(); });
}

// {"edges": n + 1 numbers, "counts": n numbers}
bool is_histogram(const Json& value) {
  if (!value.is_object() || !value.contains("edges") || !value.contains("counts")) return false;
  const Json& edges = value["edges"];
  const Json& counts = value["counts"];
  return is_finite_list(edges) && is_finite_list(counts) && !counts.empty() && counts.size() <= kMaxBins &&
         edges.size() == counts.size() + 1;
}

}  // namespace

std::optional<std::int64_t> whole_number(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) return std::nullopt;
  return value.get<std::int64_t>();
}

Status parse_spool_line(std::string_view line, SpoolRecord& record) {
  if (parse_plain_scalar(line, record)) return {};
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("spool line \"{}\": {}", printable(line), why));
  };
  auto parsed = parse_json(line, "it", 32);
  if (!parsed) return bad(parsed.error().message);
  Json& array = *parsed;
  if (!array.is_array() || array.size() != 5) return bad("needs [kind, name, value, step, time]");
  if (!array[0].is_string() || !array[1].is_string()) return bad("kind and name must be strings");
  record.kind = {};
  for (const auto kind : kKinds) {
    if (array[0] == kind) record.kind = kind;
  }
  if (record.kind.empty()) return bad("the kind is not known");
  record.name_storage = array[1].get<std::string>();
  record.name = record.name_storage;
  if (record.name.empty() || record.name.size() > kMaxName ||
      record.name.find('\0') != std::string_view::npos) {
    return bad("the name must have 1 to 1000 bytes and no NUL");
  }
  record.step.reset();
  if (array[3].is_number_integer()) {
    record.step = array[3].get<std::int64_t>();
  } else if (!array[3].is_null()) {
    return bad("step must be a whole number or null");
  }
  if (!array[4].is_number() || !to_micros(array[4].get<double>(), record.at)) {
    return bad("time must be Unix seconds");
  }
  const Json& value = array[2];
  record.is_number = false;
  record.whole.reset();
  if (record.kind == "scalar") {
    if (value.is_structured() || value.is_null()) return bad("a scalar is a number, string or boolean");
    if (const auto number = json_number(value)) {
      record.is_number = true;
      record.number = *number;
      record.whole = whole_number(value);
      return {};
    }
  } else if (record.kind == "list") {
    if (!value.is_array()) return bad("a list is an array");
  } else if (record.kind == "tag" || record.kind == "property") {
    if (!value.is_string() && !value.is_null()) return bad("a tag is a string or null");
  } else if (record.kind == "param") {
    if (value.is_structured()) return bad("a parameter is a string, number, boolean or null");
  } else if (record.kind == "histogram") {
    if (!is_histogram(value)) return bad("a histogram has counts, at most 10,000 numbers, and edges, one more");
  } else if (!value.is_object()) {
    return bad("the value must be an object");
  }
  record.value = std::move(array[2]);
  return {};
}

}  // namespace roost
