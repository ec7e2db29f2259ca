#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace roost {

Result<Json> parse_json(std::string_view text, std::string_view what, int max_depth) {
  // The parser recurses in places, so excess depth is refused by a cheap scan before it starts.
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("{} is nested deeper than {} levels", what, max_depth));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    std::string reason = e.what();
    if (const auto end = reason.find("] "); end != std::string::npos) reason.erase(0, end + 2);
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} is not valid JSON: {}", what, reason));
  }
}

Json stored_json(std::string_view text) {
  // Most columns of most rows; a parser costs more than the rest of such a row.
  if (text == "{}") return Json::object();
  if (text == "[]") return Json::array();
  if (text == "null") return nullptr;
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json() : value;
}

std::string to_text(const Json& value) {
  if (value.is_discarded()) return "null";  // never inside another value: a parse that fails gives nothing else
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

std::optional<double> json_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

const Json& member(const Json& object, std::string_view name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto it = object.find(name);
  return it == object.end() ? none : *it;
}

std::string text_at(const Json& object, std::string_view name, std::string fallback) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::move(fallback);
}

bool flag_at(const Json& object, std::string_view name, bool fallback) {
  const Json& value = member(object, name);
  return value.is_boolean() ? value.get<bool>() : fallback;
}

std::int64_t integer_at(const Json& object, std::string_view name, std::int64_t fallback) {
  const Json& value = member(object, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

std::uint64_t size_at(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

double number_at(const Json& object, std::string_view name, double fallback) {
  const Json& value = member(object, name);
  return value.is_number() ? value.get<double>() : fallback;
}

Json object_at(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_object() ? value : Json::object();
}

Json array_at(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_array() ? value : Json::array();
}

std::vector<std::string> strings_at(const Json& object, std::string_view name) {
  std::vector<std::string> out;
  const Json& value = member(object, name);
  if (!value.is_array()) return out;
  for (const auto& item : value) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

namespace {

void drop_nulls(Json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      if (it->is_null()) {
        it = value.erase(it);
      } else {
        drop_nulls(*it++);
      }
    }
  } else if (value.is_array()) {
    for (auto& item : value) drop_nulls(item);
  }
}

}  // namespace

JsonFields::JsonFields(const Json& object, std::string_view what) : object_(object), what_(what) {
  if (!object_.is_object()) reject(fmt::format("{} must be a JSON object", what_));
}

const Json* JsonFields::find(const char* name) {
  seen_.emplace_back(name);
  if (!object_.is_object()) return nullptr;
  const auto it = object_.find(name);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

void JsonFields::reject(std::string message) {
  if (!error_) error_ = Error{ErrorCode::kInvalidArgument, std::move(message)};
}

void JsonFields::expect(const char* name, const char* expected) {
  reject(fmt::format("\"{}\" in {} must be {}", name, what_, expected));
}

bool JsonFields::has(const char* name) { return find(name) != nullptr; }

std::string JsonFields::string(const char* name, std::string fallback) {
  const Json* value = find(name);
  if (!value) return fallback;
  if (!value->is_string()) {
    expect(name, "a string");
    return fallback;
  }
  return value->get<std::string>();
}

std::string JsonFields::required_string(const char* name) {
  if (!find(name)) reject(fmt::format("{} needs \"{}\"", what_, name));
  return string(name);
}

bool JsonFields::boolean(const char* name, bool fallback) {
  const Json* value = find(name);
  if (!value) return fallback;
  if (!value->is_boolean()) {
    expect(name, "true or false");
    return fallback;
  }
  return value->get<bool>();
}

std::int64_t JsonFields::integer(const char* name, std::int64_t fallback, std::int64_t low,
                                 std::int64_t high) {
  const Json* value = find(name);
  if (!value) return fallback;
  const bool huge = value->is_number_unsigned() &&
                    value->get<std::uint64_t>() > static_cast<std::uint64_t>(
                                                      std::numeric_limits<std::int64_t>::max());
  if (!value->is_number_integer() || huge || value->get<std::int64_t>() < low ||
      value->get<std::int64_t>() > high) {
    expect(name, fmt::format("a whole number from {} to {}", low, high).c_str());
    return fallback;
  }
  return value->get<std::int64_t>();
}

Json JsonFields::object(const char* name) {
  Json given = object_as_given(name);
  drop_nulls(given);
  return given;
}

Json JsonFields::object_as_given(const char* name) {
  const Json* value = find(name);
  if (!value) return Json::object();
  if (!value->is_object()) {
    expect(name, "an object");
    return Json::object();
  }
  return *value;
}

Json JsonFields::array(const char* name) {
  const Json* value = find(name);
  if (!value) return Json::array();
  if (!value->is_array()) {
    expect(name, "an array");
    return Json::array();
  }
  return *value;
}

Json JsonFields::string_map(const char* name, bool nulls) {
  Json map = object_as_given(name);
  for (const auto& item : map.items()) {
    if (!item.value().is_string() && !(nulls && item.value().is_null())) {
      expect(name, "an object whose values are strings");
      return Json::object();
    }
  }
  return map;
}

std::vector<std::string> JsonFields::strings(const char* name) {
  std::vector<std::string> out;
  for (const auto& item : array(name)) {
    if (!item.is_string()) {
      expect(name, "an array of strings");
      return {};
    }
    out.push_back(item.get<std::string>());
  }
  return out;
}

Status JsonFields::done_so_far() const {
  if (error_) return fail(*error_);
  return {};
}

Status JsonFields::done() {
  ROOST_CHECK(done_so_far());
  for (const auto& item : object_.items()) {
    if (std::find(seen_.begin(), seen_.end(), item.key()) == seen_.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} has a field \"{}\" that is not known here", what_,
                              item.key().substr(0, 100)));
    }
  }
  return {};
}

}  // namespace roost
