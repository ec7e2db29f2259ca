#pragma once

#include <optional>

#include "infer/tensor.h"
#include "onnx/ort_abi.h"

namespace roost {

ort::ElementType element_type(DataType type);
std::optional<DataType> data_type(ort::ElementType type);  // none for those that no protocol can carry

}  // namespace roost
