#include "onnx/loaded_model.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/log.h"
#include "onnx/batch_trial.h"
#include "onnx/model_file.h"
#include "onnx/sample_inputs.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

constexpr auto kLongestWarmUp = std::chrono::seconds(60);
constexpr std::uintmax_t kLargeFile = 256U << 20U;

// Of the model and the files of weights that are called like it.
std::uintmax_t size_of(const fs::path& file) {
  std::uintmax_t size = 0;
  std::error_code error;
  for (fs::directory_iterator entry(file.parent_path(), error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(file.stem().string())) continue;
    const std::uintmax_t own = entry->file_size(error);
    if (!error) size += own;
    error.clear();
  }
  return size;
}

}  // namespace

Result<std::shared_ptr<LoadedModel>> LoadedModel::load(const std::shared_ptr<OrtRuntime>& runtime, RunCutoff& watch,
                                                       const OnnxModelSource& source, const BatchingOptions& batching,
                                                       std::size_t queue_limit) {
  ROOST_TRY(const std::string file, model_file(source.path));
  std::shared_ptr<LoadedModel> model(new LoadedModel);
  ROOST_CHECK(model->load_session(runtime, watch, file));
  model->signature_ = {source.name, source.version, model->facts().inputs, model->facts().outputs};
  model->warm_up();
  model->decide_batching(batching);
  const QueueOptions options{model->runs_, model->batching_.max_batch,
                             std::chrono::microseconds(model->batching_.max_delay_us), queue_limit};
  model->queue_ = std::make_unique<ModelQueue>(*model->session_, model->stats_, options);
  return model;
}

Status LoadedModel::load_session(const std::shared_ptr<OrtRuntime>& runtime, RunCutoff& watch, const std::string& file) {
  const OrtThreads& threads = runtime->threads();
  runs_ = threads.runs();
  const bool is_open = threads.wanted == 0 && threads.cores > 1;
  const bool is_large =
      is_open && size_of(file) >= kLargeFile;  // takes long to load and to run: not tried without the pool
  ROOST_TRY(session_, OnnxSession::load(runtime, watch, file, threads.wanted > 1 || is_large));
  if (is_large) runs_ = runs_beside(threads.pool(), 1, threads.cores);
  if (!is_open || is_large) return {};
  const auto alone = try_row(*session_, facts());
  if (!alone || *alone < std::chrono::duration<double>(kLargeModel).count()) return {};
  session_.reset();  // never twice in memory
  ROOST_TRY(session_, OnnxSession::load(runtime, watch, file, true));
  runs_ = runs_beside(*alone, try_row(*session_, facts()).value_or(*alone), threads.cores);
  log_info("{}: a row takes {:.0f} ms of one core; runs share {} threads, {} at a time", file, *alone * 1000,
           threads.pool(), runs_);
  return {};
}

void LoadedModel::warm_up() {
  std::vector<std::string> outputs;
  for (const TensorSpec& output : signature_.outputs) outputs.push_back(output.name);
  const auto deadline = std::chrono::steady_clock::now() + kLongestWarmUp;
  const auto ran = session_->run(sample_inputs(signature_.inputs, 1, 1, 0), outputs, deadline);
  if (!ran)
    log_info("model {} version {}: not warmed up, it does not take zeros in sizes of 1: {}", signature_.name,
             signature_.version, ran.error().message);
}

void LoadedModel::decide_batching(const BatchingOptions& wanted) {
  batching_ = {1, 0};
  if (wanted.max_batch <= 1) return;
  const BatchVerdict verdict = try_together(*session_, facts(), wanted.max_batch);
  if (verdict.together) batching_ = wanted;
  log_info("model {} version {}: requests {}", signature_.name, signature_.version,
           verdict.together ? fmt::format("that wait are computed together, up to {} rows", wanted.max_batch)
                            : "are computed one by one: " + verdict.why);
}

Result<InferAnswer> LoadedModel::infer(const InferRequest& request, Deadline deadline, CallTimes& times) {
  // What is asked for twice is computed once.
  std::vector<std::string> names;
  for (const WantedOutput& output : request.outputs) {
    if (std::ranges::find(names, output.name) == names.end()) names.push_back(output.name);
  }
  ROOST_TRY(std::vector<Tensor> outputs, queue_->infer(request.inputs, names, deadline, times));
  if (names.size() == request.outputs.size()) return InferAnswer{std::move(outputs)};
  InferAnswer answer;
  for (const WantedOutput& wanted : request.outputs) {
    answer.outputs.push_back(*std::ranges::find(outputs, wanted.name, &Tensor::name));
  }
  return answer;
}

}  // namespace roost
