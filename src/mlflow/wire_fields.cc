#include "mlflow/wire_fields.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/text.h"

namespace roost::mlflow {
namespace {

tl::unexpected<Error> wrong(const char* name, const Json& value, std::string_view expected) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("Invalid value {} for parameter '{}' supplied: it must be {}",
                                                       printable(to_text(value)), name, expected));
}

tl::unexpected<Error> missing(const char* name) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("Missing value for required parameter '{}'", name));
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A step of 3.7 is step 3.
std::optional<std::int64_t> whole(double value) {
  if (!(std::abs(value) < 9.2e18)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

WireFields::WireFields(Json object) : object_(object.is_object() ? std::move(object) : Json::object()) {}

WireFields::WireFields(const std::multimap<std::string, std::string>& query) : object_(Json::object()) {
  for (const auto& [name, value] : query) {
    Json& field = object_[name];
    if (field.is_null()) {
      field = value;
    } else if (field.is_array()) {
      field.push_back(value);
    } else {
      field = Json::array({field, value});
    }
  }
}

const Json* WireFields::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

Result<std::string> WireFields::text(const char* name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return wrong(name, *value, "a string");
  return value->get<std::string>();
}

Result<std::string> WireFields::required_text(const char* name) const {
  ROOST_TRY(std::string value, text(name));
  if (value.empty()) return missing(name);
  return value;
}

Result<std::optional<std::int64_t>> WireFields::integer(const char* name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  std::optional<std::int64_t> number;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    number = std::nullopt;
  } else if (value->is_number_integer()) {
    number = value->get<std::int64_t>();
  } else if (value->is_number_float()) {
    number = whole(value->get<double>());
  } else if (value->is_string()) {
    number = number_in<std::int64_t>(value->get_ref<const std::string&>());
  }
  if (!number) return wrong(name, *value, "a 64-bit integer");
  return number;
}

Result<double> WireFields::required_number(const char* name) const {
  const Json* value = find(name);
  if (value == nullptr) return missing(name);
  if (value->is_boolean()) return value->get<bool>() ? 1.0 : 0.0;
  if (const auto number = json_number(*value)) return *number;
  if (value->is_string()) {
    if (const auto number = number_in<double>(value->get_ref<const std::string&>())) return *number;
  }
  return wrong(name, *value, "a number");
}

Result<bool> WireFields::flag(const char* name) const {
  const Json* value = find(name);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (*value == "true") return true;
  if (*value == "false") return false;
  return wrong(name, *value, "true or false");
}

Result<std::vector<std::string>> WireFields::texts(const char* name) const {
  std::vector<std::string> all;
  const Json* value = find(name);
  if (value == nullptr) return all;
  if (value->is_string()) return std::vector<std::string>{value->get<std::string>()};
  if (!value->is_array()) return wrong(name, *value, "a list of strings");
  for (const Json& item : *value) {
    if (!item.is_string()) return wrong(name, *value, "a list of strings");
    all.push_back(item.get<std::string>());
  }
  return all;
}

Result<std::vector<WireFields>> WireFields::objects(const char* name) const {
  std::vector<WireFields> all;
  const Json* value = find(name);
  if (value == nullptr) return all;
  if (!value->is_array()) return wrong(name, *value, "a list of objects");
  all.reserve(value->size());
  for (const Json& item : *value) {
    if (!item.is_object()) return wrong(name, item, "an object");
    all.emplace_back(item);
  }
  return all;
}

Result<WireFields> WireFields::object(const char* name) const {
  const Json* value = find(name);
  if (value == nullptr) return WireFields();
  if (!value->is_object()) return wrong(name, *value, "an object");
  return WireFields(*value);
}

std::optional<WireStatus> WireFields::status(const char* name) const {
  const Json* value = find(name);
  return value == nullptr ? std::nullopt : wire_status_from(*value);
}

Result<std::string> WireFields::run_id() const {
  return required_text(has("run_id") ? "run_id" : has("run_uuid") ? "run_uuid" : "run_id");
}

Result<std::int64_t> max_results(const WireFields& fields, std::int64_t fallback, std::int64_t most) {
  ROOST_TRY(const auto asked, fields.integer("max_results"));
  const std::int64_t wanted = asked.value_or(fallback);
  if (wanted >= 1 && wanted <= most) return wanted;
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("Invalid value {} for parameter 'max_results' supplied: it must be from 1 to {}", wanted, most));
}

Result<std::int64_t> page_offset(const WireFields& fields) {
  ROOST_TRY(const std::string token, fields.text("page_token"));
  if (token.empty()) return 0;
  const auto decoded = base64_decode(token);
  if (decoded) {
    const auto parsed = parse_json(*decoded, "the page token", 4);
    const std::int64_t offset = parsed ? integer_at(*parsed, "offset", -1) : -1;
    if (offset >= 0 && offset < (std::int64_t{1} << 53)) return offset;
  }
  return fail(ErrorCode::kInvalidArgument,
              "Invalid page token: give the next_page_token of the page before, as it came");
}

std::string page_token(std::int64_t offset) { return base64_encode(fmt::format("{{\"offset\": {}}}", offset)); }

}  // namespace roost::mlflow
