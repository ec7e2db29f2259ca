#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "onnx/model_runner.h"
#include "onnx/run_watch.h"
#include "onnx/runtime.h"

namespace roost {

// What a model file says of itself.
struct ModelFacts {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  // The names of first dimensions that vary ("batch"), "" where there is none; as many as inputs, and outputs.
  std::vector<std::string> input_rows;
  std::vector<std::string> output_rows;
  std::string producer;
  std::string graph;
  std::string description;
};

// A model in memory. Runs from many threads at once; each on its caller's thread.
class OnnxSession final : public ModelRunner {
 public:
  // Reads the file, and the files of weights that it names beside itself. Outputs that are no tensors (the maps of a
  // classifier from scikit-learn) are left out. `uses_pool`: runs share the pool of the runtime; else they are computed
  // by their callers alone. The error has ONNX Runtime's own text.
  static Result<std::unique_ptr<OnnxSession>> load(std::shared_ptr<OrtRuntime> runtime, RunCutoff& watch,
                                                   const std::string& path, bool uses_pool = false);
  ~OnnxSession() override;
  OnnxSession(const OnnxSession&) = delete;
  OnnxSession& operator=(const OnnxSession&) = delete;

  const ModelFacts& facts() const { return facts_; }

  // Inputs are used where they lie, unless they are not aligned for their type; outputs are shown where ONNX Runtime
  // put them.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const std::string> outputs,
                                  Deadline deadline) override;

 private:
  OnnxSession(std::shared_ptr<OrtRuntime> runtime, RunCutoff& watch) : runtime_(std::move(runtime)), watch_(watch) {}
  bool is_time_to_shrink();

  std::shared_ptr<OrtRuntime> runtime_;
  RunCutoff& watch_;
  ort::OrtSession* session_ = nullptr;
  ModelFacts facts_;
  bool varies_ = false;  // some input has a size that varies
  std::atomic<std::int64_t> shrink_at_{0};
};

}  // namespace roost
