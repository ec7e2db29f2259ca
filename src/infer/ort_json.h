#pragma once

#include <string>
#include <string_view>

#include "infer/ort_tensor.h"

namespace roost {

// ONNX Runtime Server's PredictRequest as proto3 JSON:
//   {"inputs": {"Input3": {"dims": ["1","1","28","28"], "dataType": 1, "rawData": "<base64>"}}, "outputFilter": ["Plus214"]}
// dims may be numbers too; dataType a number or its name ("FLOAT"); data in rawData or in the list that belongs to the type
// (floatData, int32Data, int64Data, uint64Data, doubleData, stringData of base64). Fields may be in snake_case.
Result<OrtRequest> parse_ort_json(std::string_view body, const ModelSignature& model);

// {"outputs": {NAME: {"dims": ["1","10"], "dataType": 1, "rawData": "<base64>"}}}, or the list of the type if not `raw`, where
// 64-bit numbers are strings as proto3 has it. Strings are always stringData, each as base64.
std::string print_ort_json(const InferAnswer& answer, bool raw);

}  // namespace roost
