#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

using Json = nlohmann::json;

// Parses untrusted text: valid UTF-8, at most `max_depth` levels. `what` names it in the error
// ("the request body").
Result<Json> parse_json(std::string_view text, std::string_view what, int max_depth = 64);

// Compact text; invalid UTF-8 in strings becomes U+FFFD instead of an exception.
std::string to_text(const Json& value);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// A double as JSON: NaN and infinities travel as "NaN", "Infinity", "-Infinity".
Json number_json(double value);
// The other way: a number or one of those three strings.
std::optional<double> json_number(const Json& value);

// Reads the fields of an untrusted JSON object. The first wrong one is kept as the error, with its
// name and what was expected; `done()` also refuses fields that nobody asked for.
class JsonFields {
 public:
  JsonFields(const Json& object, std::string_view what);

  bool has(const char* name);  // present and not null
  std::string string(const char* name, std::string fallback = "");
  std::string required_string(const char* name);
  bool boolean(const char* name, bool fallback);
  std::int64_t integer(const char* name, std::int64_t fallback, std::int64_t low, std::int64_t high);
  // The object or array under `name`, or an empty one.
  Json object(const char* name);
  Json array(const char* name);
  // An object whose values are all strings (null allowed only when `nulls`).
  Json string_map(const char* name, bool nulls = false);
  std::vector<std::string> strings(const char* name);
  void reject(std::string message);

  Status done();

 private:
  const Json* find(const char* name);
  void expect(const char* name, const char* expected);

  const Json& object_;
  std::string what_;
  std::vector<std::string> seen_;
  std::optional<Error> error_;
};

}  // namespace roost
