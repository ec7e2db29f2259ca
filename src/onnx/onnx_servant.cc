#include "onnx/onnx_servant.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "onnx/answering.h"
#include "onnx/metrics_text.h"
#include "onnx/model_set.h"
#include "onnx/serving_routes.h"

namespace roost {
namespace {

constexpr auto kLongestStop = std::chrono::seconds(30);

class OnnxServant final : public Servant {
 public:
  explicit OnnxServant(OnnxServantOptions options)
      : options_(std::move(options)),
        models_(options_.models, [this](const OnnxModelSource& source) { return load_model(source); }),
        answering_(options_.max_body_bytes, options_.cors_origins) {}

  Status start() override {
    ROOST_TRY(const OrtLibrary library, open_onnxruntime(options_.library));
    ROOST_TRY(runtime_, OrtRuntime::open(library, options_.intra_op_threads));
    log_info("ONNX Runtime {} from {}", library.version, library.path);
    return models_.load_all();
  }

  void add_routes(Router& router) override {
    const Serving serving{models_, answering_, options_.timeout, options_.max_body_bytes};
    add_v2_routes(router, serving);
    add_score_routes(router, serving);
  }

  bool is_ready() const override { return models_.are_all_loaded(); }

  ServantLoad load() const override {
    ServantLoad load = answering_.load();
    for (const auto& model : models_.loaded()) load.queued += model->waiting();
    return load;
  }

  std::string metrics() const override { return metrics_text(models_, load()); }

  void stop() override { answering_.stop(kLongestStop); }

 private:
  Result<std::shared_ptr<LoadedModel>> load_model(const OnnxModelSource& source) {
    return LoadedModel::load(runtime_, watch_, source, options_.batching, options_.queue_limit);
  }

  const OnnxServantOptions options_;
  RunCutoff watch_;  // outlives the models, which use it
  std::shared_ptr<OrtRuntime> runtime_;
  ModelSet models_;
  Answering answering_;
};

}  // namespace

Result<std::unique_ptr<Servant>> make_onnx_servant(OnnxServantOptions options) {
  if (options.models.empty()) return fail(ErrorCode::kInvalidArgument, "there is no model to serve");
  for (const OnnxModelSource& model : options.models) {
    if (model.name.empty() || model.version.empty())
      return fail(ErrorCode::kInvalidArgument, fmt::format("the model at {} has no name or no version", model.path));
    const auto same = [&](const OnnxModelSource& other) {
      return other.name == model.name && other.version == model.version;
    };
    if (std::ranges::count_if(options.models, same) > 1) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("model {} version {} is there twice", model.name, model.version));
    }
  }
  return std::make_unique<OnnxServant>(std::move(options));
}

int servant_threads(const OnnxServantOptions& options) {
  const OrtThreads threads{options.intra_op_threads, usable_cores()};
  // Those that run, those that wait, and one more to be told that it is too many.
  return threads.runs() + static_cast<int>(std::min<std::size_t>(options.queue_limit, 1024)) + 1;
}

}  // namespace roost
