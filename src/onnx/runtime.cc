#include "onnx/runtime.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/log.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace roost {
namespace {

void write_log(void*, ort::OrtLoggingLevel level, const char*, const char*, const char*, const char* message) {
  log_line(level >= ort::kError ? LogLevel::kError : LogLevel::kWarning, fmt::format("onnxruntime: {}", message));
}

ErrorCode code_of(ort::OrtErrorCode code) {
  switch (code) {
    case ort::kInvalidArgument:
      return ErrorCode::kInvalidArgument;
    case ort::kNoSuchFile:
    case ort::kNoModel:
      return ErrorCode::kNotFound;
    case ort::kInvalidProtobuf:
    case ort::kInvalidGraph:
      return ErrorCode::kDataMismatch;
    case ort::kNotImplemented:
      return ErrorCode::kUnimplemented;
    default:
      return ErrorCode::kInternal;
  }
}

}  // namespace

int OrtThreads::pool() const { return wanted > 0 ? wanted : std::min(cores, kLargestPool); }

int OrtThreads::runs() const { return std::max(1, wanted > 1 ? cores / wanted : cores); }

int runs_beside(double alone, double with_pool, int cores) {
  const double threads = with_pool > 0 ? std::max(alone / with_pool, 1.0) : 1.0;
  return std::clamp(static_cast<int>(std::lround(cores / threads)), 1, cores);
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

Result<std::shared_ptr<OrtRuntime>> OrtRuntime::open(const OrtLibrary& library, int intra_op_threads) {
  std::shared_ptr<OrtRuntime> runtime(new OrtRuntime(library));
  runtime->threads_ = {std::max(intra_op_threads, 0), usable_cores()};
  ROOST_CHECK(runtime->start());
  return runtime;
}

Status OrtRuntime::start() {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler disabler;  // the first environment of a process loses some bytes for good
#endif
  const ort::OrtApi& ort = api();
  ort::OrtThreadingOptions* made = nullptr;
  ROOST_CHECK(check(ort.CreateThreadingOptions(&made)));
  const OrtOwned<ort::OrtThreadingOptions> threading(made, ort.ReleaseThreadingOptions);
  ROOST_CHECK(check(ort.SetGlobalIntraOpNumThreads(made, threads_.pool())));
  ROOST_CHECK(check(ort.SetGlobalInterOpNumThreads(made, 1)));  // models run node after node
  ROOST_CHECK(check(ort.SetGlobalSpinControl(made, 0)));
  ROOST_CHECK(check(ort.SetGlobalDenormalAsZero(made)));
  ROOST_CHECK(check(
      ort.CreateEnvWithCustomLoggerAndGlobalThreadPools(write_log, nullptr, ort::kWarning, "roost", made, &env_)));
  ROOST_CHECK(check(ort.CreateCpuMemoryInfo(ort::kArenaAllocator, ort::kDefaultMemory, &cpu_)));

  // Doubling would raise what is held with every new batch size, for good.
  constexpr std::array<const char*, 1> keys = {"arena_extend_strategy"};
  constexpr std::array<std::size_t, 1> values = {1};  // as requested
  ort::OrtArenaCfg* arena = nullptr;
  ROOST_CHECK(check(ort.CreateArenaCfgV2(keys.data(), values.data(), keys.size(), &arena)));
  const OrtOwned<ort::OrtArenaCfg> owned(arena, ort.ReleaseArenaCfg);
  return check(ort.CreateAndRegisterAllocator(env_, cpu_, arena));
}

OrtRuntime::~OrtRuntime() {
  if (cpu_ != nullptr) api().ReleaseMemoryInfo(cpu_);
  if (env_ != nullptr) api().ReleaseEnv(env_);
}

Status OrtRuntime::check(ort::OrtStatus* status, std::string_view doing) const {
  if (status == nullptr) return {};
  const OrtOwned<ort::OrtStatus> owned(status, api().ReleaseStatus);
  const std::string text = api().GetErrorMessage(status);
  return fail(code_of(api().GetErrorCode(status)), doing.empty() ? text : fmt::format("{}: {}", doing, text));
}

}  // namespace roost
