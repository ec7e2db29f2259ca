#include "onnx/onnx_session.h"

#include <algorithm>

#include <fmt/format.h>

#include "onnx/denormals.h"
#include "onnx/ort_value.h"
#include "onnx/read_facts.h"

namespace roost {
namespace {

// A loaded model fails for what it was given, whatever code ONNX Runtime has for it; or for want of memory.
Error run_error(const Error& error) {
  for (const char* text : {"bad_alloc", "Failed to allocate memory", "bad allocation"}) {
    if (error.message.find(text) != std::string::npos) return {ErrorCode::kResourceExhausted, error.message};
  }
  return {ErrorCode::kInvalidArgument, "the model cannot compute this: " + error.message};
}

}  // namespace

Result<std::unique_ptr<OnnxSession>> OnnxSession::load(std::shared_ptr<OrtRuntime> runtime, RunCutoff& watch,
                                                       const std::string& path, bool uses_pool) {
  std::unique_ptr<OnnxSession> session(new OnnxSession(runtime, watch));
  const ort::OrtApi& ort = runtime->api();
  ort::OrtSessionOptions* made = nullptr;
  ROOST_CHECK(runtime->check(ort.CreateSessionOptions(&made)));
  const OrtOwned<ort::OrtSessionOptions> options(made, ort.ReleaseSessionOptions);
  ROOST_CHECK(runtime->check(uses_pool ? ort.DisablePerSessionThreads(made) : ort.SetIntraOpNumThreads(made, 1)));
  // Patterns are kept for every shape that was ever seen, and gain nothing measurable where the allocator keeps its
  // memory.
  ROOST_CHECK(runtime->check(ort.DisableMemPattern(made)));
  ROOST_CHECK(runtime->check(ort.AddSessionConfigEntry(made, "session.use_env_allocators", "1")));
  ROOST_CHECK(runtime->check(ort.AddSessionConfigEntry(made, "session.set_denormal_as_zero", "1")));
  ROOST_CHECK(runtime->check(ort.AddSessionConfigEntry(made, "session.dynamic_block_base", "4")));
  ROOST_CHECK(runtime->check(ort.CreateSession(runtime->env(), path.c_str(), made, &session->session_),
                             fmt::format("ONNX Runtime cannot load {}", path)));
  ROOST_TRY(session->facts_, read_facts(*runtime, session->session_));
  session->varies_ = std::ranges::any_of(session->facts_.inputs, [](const TensorSpec& spec) {
    return std::ranges::find(spec.shape, -1) != spec.shape.end();
  });
  return session;
}

OnnxSession::~OnnxSession() {
  if (session_ != nullptr) runtime_->api().ReleaseSession(session_);
}

bool OnnxSession::is_time_to_shrink() {
  if (!varies_) return false;
  using std::chrono::steady_clock;
  const std::int64_t now = steady_clock::now().time_since_epoch().count();
  std::int64_t due = shrink_at_.load(std::memory_order_relaxed);
  const std::int64_t next = now + steady_clock::duration(std::chrono::seconds(1)).count();
  return now >= due && shrink_at_.compare_exchange_strong(due, next);
}

Result<std::vector<Tensor>> OnnxSession::run(std::span<const Tensor> inputs, std::span<const std::string> outputs,
                                             Deadline deadline) {
  const ort::OrtApi& ort = runtime_->api();
  ort::OrtRunOptions* made = nullptr;
  ROOST_CHECK(runtime_->check(ort.CreateRunOptions(&made)));
  const OrtOwned<ort::OrtRunOptions> options(made, ort.ReleaseRunOptions);
  ROOST_CHECK(runtime_->check(ort.RunOptionsSetRunLogSeverityLevel(made, ort::kFatal)));  // whoever asked is told
  // What sizes of the past left behind goes back now and then; each time would cost as much as having no arena.
  if (is_time_to_shrink())
    ROOST_CHECK(runtime_->check(ort.AddRunConfigEntry(made, "memory.enable_memory_arena_shrinkage", "cpu:0")));

  auto values = std::make_shared<OrtValues>(runtime_);
  std::vector<const char*> names;
  names.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    ROOST_CHECK(values->add_input(input));
    names.push_back(input.name.c_str());
  }
  std::vector<const char*> wanted;
  wanted.reserve(outputs.size());
  for (const std::string& output : outputs) wanted.push_back(output.c_str());
  std::vector<ort::OrtValue*>& results = values->outputs(outputs.size());

  ort::OrtStatus* status = nullptr;
  {
    const auto guard = watch_.watch(deadline, [&ort, made] { ort.ReleaseStatus(ort.RunOptionsSetTerminate(made)); });
    const FlushDenormals flush;
    status = ort.Run(session_, made, names.data(), values->inputs().data(), names.size(), wanted.data(), wanted.size(),
                     results.data());
  }
  if (auto ran = runtime_->check(status); !ran) {
    if (std::chrono::steady_clock::now() >= deadline)
      return fail(ErrorCode::kDeadlineExceeded, "the model was still computing when the time was up");
    return fail(run_error(ran.error()));
  }
  return read_outputs(values, outputs);
}

}  // namespace roost
