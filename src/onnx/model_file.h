#pragma once

#include <string>

#include "base/result.h"

namespace roost {

// The one .onnx file at `path`: the file itself, or in a folder model.onnx or the only one, also if it lies in the only
// folder there. kNotFound, or kInvalidArgument where it is not clear which.
Result<std::string> model_file(const std::string& path);

}  // namespace roost
