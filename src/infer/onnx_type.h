#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "infer/tensor.h"

namespace roost {

// ONNX's TensorProto.DataType: 1 is FLOAT, 7 INT64, 8 STRING, ... None for those that no tensor here has (complex numbers,
// 8-bit floats).
std::optional<DataType> data_type_from_onnx(std::int64_t number);
std::optional<DataType> data_type_from_onnx_name(std::string_view name);  // "FLOAT"
std::int64_t onnx_number(DataType type);

// Which of TensorProto's lists has the values of a type, where they are not raw.
enum class OnnxList { kFloat, kInt32, kString, kInt64, kDouble, kUint64 };
OnnxList onnx_list(DataType type);
std::string_view onnx_list_name(OnnxList list);  // "floatData"

}  // namespace roost
