#include "infer/ort_json.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/text.h"
#include "infer/check_request.h"
#include "infer/json_number.h"
#include "infer/json_print.h"
#include "infer/json_shape.h"
#include "infer/json_values.h"
#include "infer/onnx_type.h"

namespace roost {
namespace {

std::string camel(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size()) {
      const char next = name[++i];
      out.push_back(next >= 'a' && next <= 'z' ? static_cast<char>(next - 'a' + 'A') : next);
    } else {
      out.push_back(name[i]);
    }
  }
  return out;
}

// A tensor's fields as text: the type, which says how to read the data, may come last.
struct OrtFields {
  std::vector<std::int64_t> dims;
  std::string type;
  std::optional<std::string_view> raw;
  std::optional<std::string_view> list;
  std::string list_name;
};

Result<OrtFields> read_fields(JsonReader& reader, const std::string& input) {
  OrtFields out;
  ROOST_CHECK(reader.object([&](const std::string& given) -> Status {
    const std::string name = camel(given);
    if (name == "dims") {
      ROOST_TRY(out.dims, read_shape(reader));
      return {};
    }
    ROOST_TRY(const std::string_view text, reader.skip());
    if (text == "null" || text == "[]" || text == "\"\"") return {};
    if (name == "dataType") {
      out.type = text.size() < 40 && text.starts_with('"') ? text.substr(1, text.size() - 2) : text.substr(0, 40);
    } else if (name == "rawData") {
      out.raw = text;
    } else if (name.ends_with("Data")) {
      if (out.list) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has both {} and {}", input, out.list_name, printable(name, 30)));
      }
      out.list = text;
      out.list_name = name;
    } else if (name == "dataLocation" && (text == "\"EXTERNAL\"" || text == "1")) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has its data elsewhere: send it in the request", input));
    }
    return {};
  }));
  return out;
}

void keep(Tensor& tensor, std::string bytes) {
  const auto kept = std::make_shared<std::string>(std::move(bytes));
  tensor.data = *kept;
  tensor.owner = kept;
}

Result<std::string> decode(JsonReader& reader, const std::string& input) {
  std::string scratch;
  ROOST_TRY(const std::string_view text, reader.string(scratch));
  auto bytes = base64_decode(text);
  if (!bytes) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}': '{}' is not base64", input, printable(text, 30)));
  return std::move(*bytes);
}

// Numbers, also in quotes as proto3 writes those of 64 bits.
template <class T>
Status read_integers(JsonReader& reader, Tensor& tensor) {
  auto kept = std::make_shared<std::vector<T>>();
  ROOST_CHECK(reader.list([&]() -> Status {
    const bool quoted = reader.take('"');
    reader.peek();
    const char* const from = reader.position();
    const char* at = from;
    T value{};
    const NumberProblem problem = read_number(at, reader.limit(), value);
    const bool is_bool = tensor.type == DataType::kBool;
    if (problem != NumberProblem::kNone || (is_bool && value > 1)) {
      const auto rest = static_cast<std::size_t>(reader.limit() - from);
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}': element {}, '{}', is not a number that {} can hold", tensor.name,
                                                           kept->size(), printable(std::string_view(from, std::min<std::size_t>(rest, 20))),
                                                           data_type_name(tensor.type)));
    }
    reader.move_to(at);
    if (quoted && !reader.take('"')) return reader.wrong("'\"'");
    kept->push_back(value);
    return {};
  }));
  tensor.data = {reinterpret_cast<const char*>(kept->data()), kept->size() * sizeof(T)};
  tensor.owner = kept;
  return {};
}

Status read_list(JsonReader& reader, Tensor& tensor) {
  switch (tensor.type) {
    case DataType::kBool:
    case DataType::kUint8: return read_integers<std::uint8_t>(reader, tensor);
    case DataType::kFp16:  // by their bits
    case DataType::kBf16:
    case DataType::kUint16: return read_integers<std::uint16_t>(reader, tensor);
    case DataType::kUint32: return read_integers<std::uint32_t>(reader, tensor);
    case DataType::kUint64: return read_integers<std::uint64_t>(reader, tensor);
    case DataType::kInt8: return read_integers<std::int8_t>(reader, tensor);
    case DataType::kInt16: return read_integers<std::int16_t>(reader, tensor);
    case DataType::kInt32: return read_integers<std::int32_t>(reader, tensor);
    case DataType::kInt64: return read_integers<std::int64_t>(reader, tensor);
    case DataType::kFp32:
    case DataType::kFp64: {
      ROOST_TRY(const JsonValues values, read_values(reader, tensor.type, fmt::format("input '{}'", tensor.name), 0));
      tensor.data = values.data;
      tensor.owner = values.owner;
      return {};
    }
    case DataType::kBytes:
      return reader.list([&]() -> Status {
        if (tensor.strings.size() == kMaxStrings) {
          return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has more than {} strings", tensor.name, kMaxStrings));
        }
        ROOST_TRY(std::string text, decode(reader, tensor.name));
        tensor.strings.push_back(std::move(text));
        return {};
      });
  }
  die("every data type has its list");
}

Result<Tensor> read_tensor(JsonReader& reader, const std::string& name, bool& raw) {
  ROOST_TRY(const OrtFields fields, read_fields(reader, name));
  if (fields.type.empty()) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has no dataType", name));
  ROOST_TRY(const DataType type, ort_type(name, fields.type));
  Tensor out{name, type, fields.dims, {}, {}, nullptr};
  if (fields.raw && fields.list) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has both rawData and {}", name, fields.list_name));
  if (fields.raw) {
    raw = true;
    if (type == DataType::kBytes) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is STRING: its data is stringData, not rawData", name));
    JsonReader value(*fields.raw, fmt::format("rawData of input '{}'", name));
    ROOST_TRY(std::string bytes, decode(value, name));
    keep(out, std::move(bytes));
  } else if (fields.list) {
    if (const auto wanted = onnx_list_name(onnx_list(type)); fields.list_name != wanted) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is of type {}: its data is {} or rawData, not {}", name,
                                                           onnx_number(type), wanted, printable(fields.list_name, 30)));
    }
    JsonReader value(*fields.list, fmt::format("{} of input '{}'", fields.list_name, name));
    ROOST_CHECK(read_list(value, out));
  }
  return out;
}

template <class T>
void append_integers(std::string& out, const Tensor& tensor, bool quoted) {
  for (std::size_t at = 0; at < tensor.data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, tensor.data.data() + at, sizeof(T));
    if (at > 0) out.push_back(',');
    if (quoted) out.push_back('"');
    append_json_number(out, value);
    if (quoted) out.push_back('"');
  }
}

template <class T>
void append_floats(std::string& out, const Tensor& tensor) {
  for (std::size_t at = 0; at < tensor.data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, tensor.data.data() + at, sizeof(T));
    if (at > 0) out.push_back(',');
    append_json_number(out, value, true);
  }
}

void append_list(std::string& out, const Tensor& tensor) {
  switch (tensor.type) {
    case DataType::kBool:
    case DataType::kUint8: return append_integers<std::uint8_t>(out, tensor, false);
    case DataType::kFp16:
    case DataType::kBf16:
    case DataType::kUint16: return append_integers<std::uint16_t>(out, tensor, false);
    case DataType::kUint32: return append_integers<std::uint32_t>(out, tensor, true);
    case DataType::kUint64: return append_integers<std::uint64_t>(out, tensor, true);
    case DataType::kInt8: return append_integers<std::int8_t>(out, tensor, false);
    case DataType::kInt16: return append_integers<std::int16_t>(out, tensor, false);
    case DataType::kInt32: return append_integers<std::int32_t>(out, tensor, false);
    case DataType::kInt64: return append_integers<std::int64_t>(out, tensor, true);
    case DataType::kFp32: return append_floats<float>(out, tensor);
    case DataType::kFp64: return append_floats<double>(out, tensor);
    case DataType::kBytes:
      for (std::size_t i = 0; i < tensor.strings.size(); ++i) {
        out += i > 0 ? ",\"" : "\"";
        base64_append(out, tensor.strings[i]);
        out.push_back('"');
      }
  }
}

}  // namespace

Result<OrtRequest> parse_ort_json(std::string_view body, const ModelSignature& model) {
  JsonReader reader(body, "the request body");
  OrtRequest out;
  ROOST_CHECK(reader.object([&](const std::string& given) -> Status {
    const std::string name = camel(given);
    if (name == "inputs") {
      return reader.object([&](const std::string& input) -> Status {
        ROOST_CHECK(room_for_input(model, out.request));
        ROOST_CHECK(find_input(model, input));
        ROOST_TRY(Tensor tensor, read_tensor(reader, input, out.raw));
        out.request.inputs.push_back(std::move(tensor));
        return {};
      });
    }
    if (name == "outputFilter") {
      return reader.list([&]() -> Status {
        ROOST_TRY(std::string output, reader.string());
        return want_output(model, out.request, std::move(output));
      });
    }
    ROOST_CHECK(reader.skip());
    return {};
  }));
  ROOST_CHECK(reader.end());
  ROOST_CHECK(check_request(model, out.request, false));
  return out;
}

std::string print_ort_json(const InferAnswer& answer, bool raw) {
  std::string out = "{\"outputs\":{";
  for (const Tensor& tensor : answer.outputs) {
    if (&tensor != &answer.outputs.front()) out.push_back(',');
    append_json_string(out, tensor.name);
    out += ":{\"dims\":[";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) fmt::format_to(std::back_inserter(out), "{}\"{}\"", i > 0 ? "," : "", tensor.shape[i]);
    fmt::format_to(std::back_inserter(out), "],\"dataType\":{},", onnx_number(tensor.type));
    if (raw && tensor.type != DataType::kBytes) {
      out += "\"rawData\":\"";
      base64_append(out, tensor.data);
      out += "\"}";
    } else {
      fmt::format_to(std::back_inserter(out), "\"{}\":[", onnx_list_name(onnx_list(tensor.type)));
      append_list(out, tensor);
      out += "]}";
    }
  }
  return out + "}}";
}

}  // namespace roost
