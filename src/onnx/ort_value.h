#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "infer/tensor.h"
#include "onnx/runtime.h"

namespace roost {

// The values of one run. What a run gives may show the very bytes it was given, so all of them go together.
class OrtValues {
 public:
  explicit OrtValues(std::shared_ptr<OrtRuntime> runtime) : runtime_(std::move(runtime)) {}
  ~OrtValues();
  OrtValues(const OrtValues&) = delete;
  OrtValues& operator=(const OrtValues&) = delete;

  // kInvalidArgument if there are not as many bytes or strings as its shape says.
  Status add_input(const Tensor& tensor);
  const std::vector<const ort::OrtValue*>& inputs() const { return inputs_; }
  std::vector<ort::OrtValue*>& outputs(std::size_t count);
  const std::vector<ort::OrtValue*>& outputs() const { return outputs_; }
  const OrtRuntime& runtime() const { return *runtime_; }

 private:
  Status add_strings(const Tensor& tensor);

  std::shared_ptr<OrtRuntime> runtime_;
  std::vector<const ort::OrtValue*> inputs_;
  std::vector<ort::OrtValue*> made_;
  std::vector<ort::OrtValue*> outputs_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// The outputs as tensors that keep `values` alive.
Result<std::vector<Tensor>> read_outputs(const std::shared_ptr<OrtValues>& values, std::span<const std::string> names);

// Memory for tensors, at an address good for every type.
std::shared_ptr<char> aligned_memory(std::size_t size);

}  // namespace roost
