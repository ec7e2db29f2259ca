#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "onnx/ort_abi.h"

namespace roost {

struct OrtLibrary {
  const ort::OrtApi* api = nullptr;
  std::string version;  // "1.30.0"
  std::string path;
};

// Opens ONNX Runtime, once a process; it stays open. Looked for at `wanted`, else at the variable ROOST_ONNXRUNTIME (a
// file, or a folder with libonnxruntime.so.1; what either names and is not there is an error), else beside the program:
// in
// ../lib/roost of an install, in onnxruntime/ of a build folder; else where the system's loader looks.
// kFailedPrecondition with the way out if it is nowhere, or too old.
Result<OrtLibrary> open_onnxruntime(const std::string& wanted = "");

// The paths that are tried, in order.
std::vector<std::string> onnxruntime_places(const std::string& wanted, const std::string& variable,
                                            const std::string& program);

}  // namespace roost
