#pragma once

#include <memory>
#include <string>

#include "infer/ort_tensor.h"

namespace roost {

// The same messages in protobuf's binary form: PredictRequest {map<string, TensorProto> inputs = 2; repeated string
// output_filter = 3}, PredictResponse {map<string, TensorProto> outputs = 1}. Raw data is not copied: it views `body`, which
// the request keeps alive and in which it may be moved to where its type needs it.
Result<OrtRequest> parse_ort_protobuf(std::shared_ptr<std::string> body, const ModelSignature& model);
std::string print_ort_protobuf(const InferAnswer& answer, bool raw);

}  // namespace roost
