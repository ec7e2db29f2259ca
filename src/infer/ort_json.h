#pragma once

#include <string>
#include <string_view>

#include "infer/infer_request.h"

namespace roost {

// ONNX Runtime Server's PredictRequest as proto3 JSON:
//   {"inputs": {"Input3": {"dims": ["1","1","28","28"], "dataType": 1, "rawData": "<base64>"}}, "outputFilter": ["Plus214"]}
// dims may be numbers too; dataType a number or its name ("FLOAT"); data in rawData or in the list that belongs to the type
// (floatData, int32Data, int64Data, uint64Data, doubleData, stringData of base64). Fields may be in snake_case.
Result<InferRequest> parse_ort_json(std::string_view body, const ModelSignature& model);

// {"outputs": {NAME: {"dims": ["1","10"], "dataType": 1, "rawData": "<base64>"}}}; strings as stringData, base64 each.
std::string print_ort_json(const InferAnswer& answer);

}  // namespace roost
