#include "serve/choose_servant.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "onnx/onnx_servant.h"
#include "onnx/runtime.h"
#include "score/script_servant.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kLeastThreads = 16;
constexpr int kMostThreads = 512;
constexpr int kMostIoThreads = 16;

Result<ReplicaServant> onnx(const ServingOrder& order, const fs::path& app_root) {
  OnnxServantOptions options;
  for (const auto& model : order.models) {
    const std::string path = (app_root / model.path).string();
    ROOST_TRY(auto found, find_onnx_models(path, model.name));
    // The version is the registered one, whatever the files are called.
    if (found.size() == 1 && model.version > 0) found.front().version = std::to_string(model.version);
    for (auto& source : found) options.models.push_back(std::move(source));
  }
  options.batching = {static_cast<int>(order.max_batch), static_cast<int>(order.max_delay_us)};
  options.intra_op_threads = static_cast<int>(order.intra_op_threads);
  options.queue_limit = static_cast<std::size_t>(order.queue_limit);
  options.timeout = std::chrono::milliseconds(order.scoring_timeout_ms);
  options.max_body_bytes = static_cast<std::uint64_t>(order.max_body_bytes);
  options.cors_origins = order.cors_origins;
  ReplicaServant chosen;
  chosen.io_threads = std::min(usable_cores(), kMostIoThreads);
  chosen.threads = std::clamp(servant_threads(options), kLeastThreads, kMostThreads);
  ROOST_TRY(chosen.servant, make_onnx_servant(std::move(options)));
  return chosen;
}

Result<ReplicaServant> script(const ServingOrder& order, const fs::path& app_root) {
  ScriptServantOptions options;
  options.app_root = app_root;
  options.entry_script = order.entry_script;
  options.source_directory = order.source_directory;
  options.model_dir = order.model_dir;
  options.sklearn = order.runtime == "sklearn";
  options.workers = static_cast<int>(order.workers);
  options.queue_limit = static_cast<std::uint64_t>(order.queue_limit);
  options.queue_wait_ms = static_cast<std::uint64_t>(order.queue_wait_ms);
  options.scoring_timeout_ms = static_cast<std::uint64_t>(order.scoring_timeout_ms);
  options.max_body_bytes = static_cast<std::uint64_t>(order.max_body_bytes);
  options.cors_origins = order.cors_origins;
  options.service_name = order.endpoint;
  ROOST_CHECK(take_variables(options));
  ROOST_TRY(std::unique_ptr<ScriptServant> servant, make_script_servant(std::move(options)));
  ReplicaServant chosen;
  chosen.threads = std::clamp(servant->threads_wanted(), kLeastThreads, kMostThreads);
  chosen.failure = [servant = servant.get()] { return servant->failure(); };
  chosen.servant = std::move(servant);
  return chosen;
}

}  // namespace

Result<ReplicaServant> choose_servant(const ServingOrder& order, const std::string& app_root) {
  return order.runtime == "onnx" ? onnx(order, app_root) : script(order, app_root);
}

}  // namespace roost
