#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

using Json = nlohmann::json;

// Parses untrusted text: valid UTF-8, at most `max_depth` levels. `what` names it in the error
// ("the request body").
Result<Json> parse_json(std::string_view text, std::string_view what, int max_depth = 64);

// Text that Roost itself wrote, a column of a row or a file of its own. What cannot be read is null: never the discarded
// value of the library, which would go out as text that is no JSON.
Json stored_json(std::string_view text);

// Compact text; invalid UTF-8 in strings becomes U+FFFD instead of an exception.
std::string to_text(const Json& value);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// Members of JSON that came from outside: what is absent, null or of another type is as if it were not there. Unlike
// Json::value(), which throws at a wrong type, these never do.
const Json& member(const Json& object, std::string_view name);  // null if there is none
std::string text_at(const Json& object, std::string_view name, std::string fallback = "");
bool flag_at(const Json& object, std::string_view name, bool fallback = false);
std::int64_t integer_at(const Json& object, std::string_view name, std::int64_t fallback = 0);
std::uint64_t size_at(const Json& object, std::string_view name);
double number_at(const Json& object, std::string_view name, double fallback = 0);
Json object_at(const Json& object, std::string_view name);
Json array_at(const Json& object, std::string_view name);
std::vector<std::string> strings_at(const Json& object, std::string_view name);

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
  // The object or array under `name`, or an empty one. Null means absent at every depth: members of the object that
  // are null are left out, so that nobody meets them later.
  Json object(const char* name);
  Json array(const char* name);
  // The object with its nulls, where they belong to what the caller wrote.
  Json object_as_given(const char* name);
  // An object whose values are all strings (null allowed only when `nulls`).
  Json string_map(const char* name, bool nulls = false);
  std::vector<std::string> strings(const char* name);
  void reject(std::string message);

  Status done();
  // As done(), but fields that nobody asked for are left alone: for files that a newer program may have written.
  Status done_so_far() const;

 private:
  const Json* find(const char* name);
  void expect(const char* name, const char* expected);

  const Json& object_;
  std::string what_;
  std::vector<std::string> seen_;
  std::optional<Error> error_;
};

}  // namespace roost
