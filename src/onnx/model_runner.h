#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "infer/tensor.h"

namespace roost {

using Deadline = std::chrono::steady_clock::time_point;

// What computes outputs from inputs: a session of ONNX Runtime, or a fake.
class ModelRunner {
 public:
  virtual ~ModelRunner() = default;
  // Blocks until it is computed; from any number of threads. Inputs must live until it returns, outputs own what they
  // show. `outputs` names the wanted ones, in this order. kDeadlineExceeded if it was still computing then.
  virtual Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const std::string> outputs,
                                          Deadline deadline) = 0;
};

}  // namespace roost
