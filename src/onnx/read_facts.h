#pragma once

#include "onnx/onnx_session.h"

namespace roost {

// Asks a loaded model for what it takes and gives. An input that is no tensor is an error; so is a model without
// outputs that are.
Result<ModelFacts> read_facts(const OrtRuntime& runtime, const ort::OrtSession* session);

}  // namespace roost
