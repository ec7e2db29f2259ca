#include "infer/json_print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/half.h"

namespace roost {
namespace {

constexpr std::int64_t kMaxEmptyLists = 1 << 20;

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

// Calls `print(i)` for every element, with the brackets and commas of the shape around them.
template <class Print>
void append_lists(std::string& out, std::span<const std::int64_t> shape, std::uint64_t& next, const Print& print) {
  if (shape.empty()) {
    print(next++);
    return;
  }
  out.push_back('[');
  for (std::int64_t i = 0; i < shape.front(); ++i) {
    if (i > 0) out.push_back(',');
    append_lists(out, shape.subspan(1), next, print);
  }
  out.push_back(']');
}

template <class T>
T element_at(const Tensor& tensor, std::uint64_t place) {
  T value;
  std::memcpy(&value, tensor.data.data() + place * sizeof(T), sizeof(T));  // outputs need not lie as their type does
  return value;
}

template <class Print>
void print_type(std::string& out, const Tensor& tensor, const Print& each) {
  const auto numbers = [&]<class T>(T) { each([&](std::uint64_t i) { append_json_number(out, element_at<T>(tensor, i)); }); };
  switch (tensor.type) {
    case DataType::kBool: return each([&](std::uint64_t i) { out += tensor.data[i] ? "true" : "false"; });
    case DataType::kUint8: return numbers(std::uint8_t());
    case DataType::kUint16: return numbers(std::uint16_t());
    case DataType::kUint32: return numbers(std::uint32_t());
    case DataType::kUint64: return numbers(std::uint64_t());
    case DataType::kInt8: return numbers(std::int8_t());
    case DataType::kInt16: return numbers(std::int16_t());
    case DataType::kInt32: return numbers(std::int32_t());
    case DataType::kInt64: return numbers(std::int64_t());
    case DataType::kFp32: return numbers(float());
    case DataType::kFp64: return numbers(double());
    case DataType::kFp16:
      return each([&](std::uint64_t i) { append_json_number(out, half_to_float(element_at<std::uint16_t>(tensor, i))); });
    case DataType::kBf16:
      return each([&](std::uint64_t i) { append_json_number(out, bfloat_to_float(element_at<std::uint16_t>(tensor, i))); });
    case DataType::kBytes: return each([&](std::uint64_t i) { append_json_string(out, tensor.strings[i]); });
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_utf8(text);
    text = repaired;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) {
      append_escaped(out, c);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

template <class T>
void append_json_number(std::string& out, T value, bool quote_words) {
  char text[32];
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value)) {
      const std::string_view word = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
      out += quote_words ? fmt::format("\"{}\"", word) : std::string(word);
      return;
    }
    char* const end = std::to_chars(text, text + sizeof text, value).ptr;
    out.append(static_cast<char*>(text), end);
    if (std::none_of(static_cast<char*>(text), end, [](char c) { return c == '.' || c == 'e'; })) out += ".0";
  } else {
    out.append(static_cast<char*>(text), std::to_chars(text, text + sizeof text, value).ptr);
  }
}

template void append_json_number(std::string&, float, bool);
template void append_json_number(std::string&, double, bool);
template void append_json_number(std::string&, std::uint8_t, bool);
template void append_json_number(std::string&, std::uint16_t, bool);
template void append_json_number(std::string&, std::uint32_t, bool);
template void append_json_number(std::string&, std::uint64_t, bool);
template void append_json_number(std::string&, std::int8_t, bool);
template void append_json_number(std::string&, std::int16_t, bool);
template void append_json_number(std::string&, std::int32_t, bool);
template void append_json_number(std::string&, std::int64_t, bool);

Status append_json_values(std::string& out, const Tensor& tensor, JsonLists lists) {
  ROOST_TRY(const std::uint64_t count, element_count(tensor.shape));
  const bool is_text = tensor.type == DataType::kBytes;
  if (is_text ? tensor.strings.size() != count : tensor.data.size() != count * element_size(tensor.type)) {
    return fail(ErrorCode::kInternal, fmt::format("output '{}' does not have the data of its shape", tensor.name));
  }
  if (!std::all_of(tensor.strings.begin(), tensor.strings.end(), [](const std::string& text) { return is_utf8(text); })) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("output '{}' has strings that are not UTF-8, which JSON cannot hold: ask for it in binary", tensor.name));
  }
  std::vector<std::int64_t> shape = tensor.shape;
  if (lists == JsonLists::kFlat) shape = {static_cast<std::int64_t>(count)};
  // A tensor of [1000000000,0] has no elements and a billion lists.
  std::int64_t empty_lists = 1;
  for (auto it = shape.begin(); count == 0 && *it != 0; ++it) {
    if (*it > kMaxEmptyLists / empty_lists) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("output '{}' is {} empty lists: ask for it in binary", tensor.name, *it));
    }
    empty_lists *= *it;
  }
  std::uint64_t next = 0;
  print_type(out, tensor, [&](const auto& print) { append_lists(out, shape, next, print); });
  return {};
}

}  // namespace roost
