#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "infer/tensor.h"

namespace roost {

// ONNX's TensorProto in protobuf's binary form.
struct ProtoTensor {
  Tensor tensor;                        // without data if that is raw
  std::optional<std::string_view> raw;  // views the message
};
// `name` is that of the input: the one in the message is not used. Numbers that their type cannot hold are refused.
Result<ProtoTensor> read_tensor_proto(std::string_view message, const std::string& name);

// All fields but for raw data, whose tag and length are at the end: its bytes must follow, if has_raw_data().
std::string tensor_proto_head(const Tensor& tensor, bool raw);
inline bool has_raw_data(const Tensor& tensor, bool raw) { return raw && tensor.type != DataType::kBytes; }

}  // namespace roost
