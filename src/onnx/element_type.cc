#include "onnx/element_type.h"

#include <array>
#include <utility>

namespace roost {
namespace {

constexpr std::array<std::pair<DataType, ort::ElementType>, 14> kTypes = {{{DataType::kBool, ort::kBool},
                                                                           {DataType::kUint8, ort::kUint8},
                                                                           {DataType::kUint16, ort::kUint16},
                                                                           {DataType::kUint32, ort::kUint32},
                                                                           {DataType::kUint64, ort::kUint64},
                                                                           {DataType::kInt8, ort::kInt8},
                                                                           {DataType::kInt16, ort::kInt16},
                                                                           {DataType::kInt32, ort::kInt32},
                                                                           {DataType::kInt64, ort::kInt64},
                                                                           {DataType::kFp16, ort::kFloat16},
                                                                           {DataType::kBf16, ort::kBfloat16},
                                                                           {DataType::kFp32, ort::kFloat},
                                                                           {DataType::kFp64, ort::kDouble},
                                                                           {DataType::kBytes, ort::kString}}};

}  // namespace

ort::ElementType element_type(DataType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == type) return theirs;
  }
  return ort::kUndefined;
}

std::optional<DataType> data_type(ort::ElementType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  return std::nullopt;
}

}  // namespace roost
