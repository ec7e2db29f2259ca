#pragma once

#include <memory>
#include <string>

#include "infer/infer_request.h"

namespace roost {

// The same messages in protobuf's binary form: PredictRequest {map<string, TensorProto> inputs = 2; repeated string
// output_filter = 3}, PredictResponse {map<string, TensorProto> outputs = 1}. Raw data is not copied where it lies as its
// type needs: it views `body`, which the request keeps alive.
Result<InferRequest> parse_ort_protobuf(std::shared_ptr<std::string> body, const ModelSignature& model);
std::string print_ort_protobuf(const InferAnswer& answer);

}  // namespace roost
