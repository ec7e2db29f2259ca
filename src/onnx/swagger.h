#pragma once

#include <string>

#include "base/json.h"
#include "infer/tensor.h"

namespace roost {

// How a model is asked by plain JSON, for programs that read such descriptions: version "2" or "3". Paths begin with
// `prefix`. kNotFound for other versions.
Result<Json> model_swagger(const ModelSignature& model, const std::string& version, std::string prefix);

}  // namespace roost
