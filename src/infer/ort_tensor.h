#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "infer/infer_request.h"

namespace roost {

// A PredictRequest of ONNX Runtime Server. As there, outputs come as raw data if any input did, else as lists.
struct OrtRequest {
  bool raw = false;
  InferRequest request;
};

// A type that came as ONNX's number or name: kInvalidArgument that names the input if there is none such.
Result<DataType> ort_type(std::string_view input, std::string_view text);

// Asks for these outputs; of all if there are none. At most as many as the model has are kept, so that a body of millions of
// names is refused early.
Status want_output(const ModelSignature& model, InferRequest& request, std::string name);

// More inputs than the model has are refused as they come.
Status room_for_input(const ModelSignature& model, const InferRequest& request);

}  // namespace roost
