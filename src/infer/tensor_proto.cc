#include "infer/tensor_proto.h"

#include <bit>
#include <concepts>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "infer/json_shape.h"
#include "infer/json_values.h"
#include "infer/onnx_type.h"
#include "infer/ort_tensor.h"
#include "wire/proto_wire.h"

namespace roost {
namespace {

using Kind = ProtoField::Kind;
constexpr std::uint32_t kDims = 1, kDataType = 2, kFloatData = 4, kInt32Data = 5, kStringData = 6, kInt64Data = 7, kRawData = 9,
                        kDoubleData = 10, kUint64Data = 11, kDataLocation = 14;

std::uint32_t list_field(OnnxList list) {
  switch (list) {
    case OnnxList::kFloat: return kFloatData;
    case OnnxList::kInt32: return kInt32Data;
    case OnnxList::kString: return kStringData;
    case OnnxList::kInt64: return kInt64Data;
    case OnnxList::kDouble: return kDoubleData;
    case OnnxList::kUint64: return kUint64Data;
  }
  die("every list has its field");
}

bool is_list(std::uint32_t number) {
  return (number >= kFloatData && number <= kInt64Data) || number == kDoubleData || number == kUint64Data;
}

// A varint holds int32 and int64 as two's complement of 64 bits.
template <class T>
bool from_wire(std::uint64_t wire, T& value) {
  if constexpr (std::same_as<T, float>) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(wire));
    return true;
  } else if constexpr (std::same_as<T, double>) {
    value = std::bit_cast<double>(wire);
    return true;
  } else {
    value = static_cast<T>(wire);
    return std::same_as<T, std::uint64_t> || static_cast<std::int64_t>(wire) == static_cast<std::int64_t>(value);
  }
}

template <class T>
Status read_numbers(std::string_view message, Tensor& tensor) {
  constexpr Kind kKind = std::same_as<T, float> ? Kind::kFixed32 : std::same_as<T, double> ? Kind::kFixed64 : Kind::kVarint;
  const std::uint32_t number = list_field(onnx_list(tensor.type));
  auto kept = std::make_shared<std::vector<T>>();
  ROOST_CHECK(each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number != number) return {};
    return each_number(field, kKind, [&](std::uint64_t wire) -> Status {
      T value{};
      if (!from_wire(wire, value) || (tensor.type == DataType::kBool && wire > 1)) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}': element {} is {}, which {} cannot hold", tensor.name, kept->size(),
                                                             static_cast<std::int64_t>(wire), data_type_name(tensor.type)));
      }
      kept->push_back(value);
      return {};
    });
  }));
  tensor.data = {reinterpret_cast<const char*>(kept->data()), kept->size() * sizeof(T)};
  tensor.owner = kept;
  return {};
}

Status read_strings(std::string_view message, Tensor& tensor) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number != kStringData) return {};
    if (field.kind != Kind::kBytes || tensor.strings.size() == kMaxStrings) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has string_data that is no string, or more than {} of them",
                                                           tensor.name, kMaxStrings));
    }
    tensor.strings.emplace_back(field.bytes);
    return {};
  });
}

Status read_list_field(std::string_view message, Tensor& tensor) {
  switch (tensor.type) {
    case DataType::kBool:
    case DataType::kUint8: return read_numbers<std::uint8_t>(message, tensor);
    case DataType::kFp16:  // by their bits
    case DataType::kBf16:
    case DataType::kUint16: return read_numbers<std::uint16_t>(message, tensor);
    case DataType::kUint32: return read_numbers<std::uint32_t>(message, tensor);
    case DataType::kUint64: return read_numbers<std::uint64_t>(message, tensor);
    case DataType::kInt8: return read_numbers<std::int8_t>(message, tensor);
    case DataType::kInt16: return read_numbers<std::int16_t>(message, tensor);
    case DataType::kInt32: return read_numbers<std::int32_t>(message, tensor);
    case DataType::kInt64: return read_numbers<std::int64_t>(message, tensor);
    case DataType::kFp32: return read_numbers<float>(message, tensor);
    case DataType::kFp64: return read_numbers<double>(message, tensor);
    case DataType::kBytes: return read_strings(message, tensor);
  }
  die("every data type has its list");
}

template <class T>
void append_packed(std::string& out, const Tensor& tensor) {
  const std::uint32_t number = list_field(onnx_list(tensor.type));
  if constexpr (std::floating_point<T>) {
    append_bytes_head(out, number, tensor.data.size());  // little-endian, as they are
    out += tensor.data;
  } else {
    std::string packed;
    for (std::size_t at = 0; at < tensor.data.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, tensor.data.data() + at, sizeof(T));
      append_varint(packed, static_cast<std::uint64_t>(value));
    }
    append_bytes_head(out, number, packed.size());
    out += packed;
  }
}

void append_list_field(std::string& out, const Tensor& tensor) {
  switch (tensor.type) {
    case DataType::kBool:
    case DataType::kUint8: return append_packed<std::uint8_t>(out, tensor);
    case DataType::kFp16:
    case DataType::kBf16:
    case DataType::kUint16: return append_packed<std::uint16_t>(out, tensor);
    case DataType::kUint32: return append_packed<std::uint32_t>(out, tensor);
    case DataType::kUint64: return append_packed<std::uint64_t>(out, tensor);
    case DataType::kInt8: return append_packed<std::int8_t>(out, tensor);
    case DataType::kInt16: return append_packed<std::int16_t>(out, tensor);
    case DataType::kInt32: return append_packed<std::int32_t>(out, tensor);
    case DataType::kInt64: return append_packed<std::int64_t>(out, tensor);
    case DataType::kFp32: return append_packed<float>(out, tensor);
    case DataType::kFp64: return append_packed<double>(out, tensor);
    case DataType::kBytes:
      for (const std::string& text : tensor.strings) {
        append_bytes_head(out, kStringData, text.size());
        out += text;
      }
  }
}

}  // namespace

Result<ProtoTensor> read_tensor_proto(std::string_view message, const std::string& name) {
  ProtoTensor out;
  out.tensor.name = name;
  std::string type = "0";
  std::optional<std::uint32_t> list;
  ROOST_CHECK(each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number == kDims) {
      return each_number(field, Kind::kVarint, [&](std::uint64_t part) -> Status {
        if (out.tensor.shape.size() == kMaxRank || static_cast<std::int64_t>(part) < 0) {
          return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has a negative dimension, or more than {}", name, kMaxRank));
        }
        out.tensor.shape.push_back(static_cast<std::int64_t>(part));
        return {};
      });
    }
    if (field.number == kDataType && field.kind == Kind::kVarint) type = std::to_string(field.value);
    if (field.number == kRawData && field.kind == Kind::kBytes) out.raw = field.bytes;
    if (field.number == kDataLocation && field.value != 0) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has its data elsewhere: send it in the request", name));
    }
    if (is_list(field.number)) list = field.number;
    return {};
  }));
  ROOST_TRY(out.tensor.type, ort_type(name, type));
  if (out.raw && out.tensor.type == DataType::kBytes) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is STRING: its data is string_data, not raw_data", name));
  }
  if (list && out.raw) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has both raw_data and a list of values", name));
  if (list && *list != list_field(onnx_list(out.tensor.type))) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is {}: its values are not in the list of that type", name,
                                                         data_type_name(out.tensor.type)));
  }
  if (!out.raw) ROOST_CHECK(read_list_field(message, out.tensor));
  return out;
}

std::string tensor_proto_head(const Tensor& tensor, bool raw) {
  std::string out;
  for (const std::int64_t part : tensor.shape) append_varint_field(out, kDims, static_cast<std::uint64_t>(part));
  append_varint_field(out, kDataType, static_cast<std::uint64_t>(onnx_number(tensor.type)));
  if (has_raw_data(tensor, raw)) {
    append_bytes_head(out, kRawData, tensor.data.size());
  } else {
    append_list_field(out, tensor);
  }
  return out;
}

}  // namespace roost
