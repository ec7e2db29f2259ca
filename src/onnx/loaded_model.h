#pragma once

#include <memory>
#include <string>

#include "infer/infer_request.h"
#include "onnx/model_queue.h"
#include "onnx/onnx_servant.h"
#include "onnx/onnx_session.h"

namespace roost {

// One version of a model, ready to answer. Requests hold it while they run, so that it can be replaced under them.
// Thread-safe.
class LoadedModel {
 public:
  // Loads, warms up, and finds out whether requests are put together. A warm-up that fails is logged: nobody knows what
  // sizes a model likes.
  static Result<std::shared_ptr<LoadedModel>> load(const std::shared_ptr<OrtRuntime>& runtime, RunCutoff& watch,
                                                   const OnnxModelSource& source, const BatchingOptions& batching,
                                                   std::size_t queue_limit);

  const ModelSignature& signature() const { return signature_; }
  const ModelFacts& facts() const { return session_->facts(); }
  const BatchingOptions& batching() const { return batching_; }  // max_batch 1: requests run one by one
  int runs() const { return runs_; }                             // at a time
  std::size_t waiting() const { return queue_->waiting(); }
  ModelStats& stats() { return stats_; }

  Result<InferAnswer> infer(const InferRequest& request, Deadline deadline, CallTimes& times);

 private:
  LoadedModel() = default;
  // Chooses the threads of a run, and how many runs there may be.
  Status load_session(const std::shared_ptr<OrtRuntime>& runtime, RunCutoff& watch, const std::string& file);
  void warm_up();
  void decide_batching(const BatchingOptions& wanted);

  ModelSignature signature_;
  BatchingOptions batching_;
  int runs_ = 1;
  std::unique_ptr<OnnxSession> session_;
  ModelStats stats_;
  std::unique_ptr<ModelQueue> queue_;
};

}  // namespace roost
