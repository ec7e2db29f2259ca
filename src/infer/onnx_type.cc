#include "infer/onnx_type.h"

#include <array>

namespace roost {
namespace {

struct OnnxFacts {
  DataType type;
  std::int64_t number;
  std::string_view name;
  OnnxList list;
};
constexpr std::array<OnnxFacts, 14> kOnnxTypes = {{
    {DataType::kFp32, 1, "FLOAT", OnnxList::kFloat},
    {DataType::kUint8, 2, "UINT8", OnnxList::kInt32},
    {DataType::kInt8, 3, "INT8", OnnxList::kInt32},
    {DataType::kUint16, 4, "UINT16", OnnxList::kInt32},
    {DataType::kInt16, 5, "INT16", OnnxList::kInt32},
    {DataType::kInt32, 6, "INT32", OnnxList::kInt32},
    {DataType::kInt64, 7, "INT64", OnnxList::kInt64},
    {DataType::kBytes, 8, "STRING", OnnxList::kString},
    {DataType::kBool, 9, "BOOL", OnnxList::kInt32},
    {DataType::kFp16, 10, "FLOAT16", OnnxList::kInt32},
    {DataType::kFp64, 11, "DOUBLE", OnnxList::kDouble},
    {DataType::kUint32, 12, "UINT32", OnnxList::kUint64},
    {DataType::kUint64, 13, "UINT64", OnnxList::kUint64},
    {DataType::kBf16, 16, "BFLOAT16", OnnxList::kInt32},
}};

const OnnxFacts& facts(DataType type) {
  for (const OnnxFacts& one : kOnnxTypes) {
    if (one.type == type) return one;
  }
  die("every data type is one of ONNX");
}

}  // namespace

std::optional<DataType> data_type_from_onnx(std::int64_t number) {
  for (const OnnxFacts& one : kOnnxTypes) {
    if (one.number == number) return one.type;
  }
  return std::nullopt;
}

std::optional<DataType> data_type_from_onnx_name(std::string_view name) {
  for (const OnnxFacts& one : kOnnxTypes) {
    if (one.name == name) return one.type;
  }
  return std::nullopt;
}

std::int64_t onnx_number(DataType type) { return facts(type).number; }
OnnxList onnx_list(DataType type) { return facts(type).list; }

std::string_view onnx_list_name(OnnxList list) {
  switch (list) {
    case OnnxList::kFloat: return "floatData";
    case OnnxList::kInt32: return "int32Data";
    case OnnxList::kString: return "stringData";
    case OnnxList::kInt64: return "int64Data";
    case OnnxList::kDouble: return "doubleData";
    case OnnxList::kUint64: return "uint64Data";
  }
  die("every list has its name");
}

}  // namespace roost
