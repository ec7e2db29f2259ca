#pragma once

#include "infer/infer_request.h"

namespace roost {

// Whether the model takes this request; every parser ends with it. Puts the inputs in the model's order, and asks for all
// outputs, `binary` or not, if none are named. Refused with kInvalidArgument, in a text that names the input, what it was
// and what is expected:
// - inputs that are missing, there twice, or not the model's; likewise outputs;
// - types and shapes other than the model's. A -1 takes any size. A spec without a shape takes every shape: ONNX Runtime
//   does not tell a scalar from what has no known rank;
// - bytes that are more or fewer than the shape needs.
Status check_request(const ModelSignature& model, InferRequest& request, bool binary);

// "FP32 [-1,3,224,224]", for people.
std::string tensor_text(DataType type, std::span<const std::int64_t> shape);
std::string spec_text(const TensorSpec& spec);

// The one of this name, or kInvalidArgument that names those there are.
Result<const TensorSpec*> find_input(const ModelSignature& model, std::string_view name);

}  // namespace roost
