#include <memory>

#include "infer/v2_answer.h"
#include "infer/v2_documents.h"
#include "infer/v2_request.h"
#include "onnx/serving_routes.h"

namespace roost {
namespace {

Response json_response(const Json& document) {
  Response response;
  response.body = to_text(document);
  return response;
}

// "" where the path has no version.
std::string version_of(const Request& request) {
  const auto found = request.parameters.find("version");
  return found == request.parameters.end() ? "" : found->second;
}

Result<std::shared_ptr<LoadedModel>> model_of(const Serving& serving, const Request& request) {
  return serving.models.find(request.parameters.at("model"), version_of(request));
}

Result<Response> infer(const Serving& serving, Request& request) {
  ROOST_TRY(const auto model, model_of(serving, request));
  const auto parse = [&] {
    return parse_v2_request(request.header(kV2HeaderLength), std::make_shared<std::string>(std::move(request.body)),
                            model->signature());
  };
  return serve_inference(serving, *model, parse, [&](const InferRequest& wanted, const InferAnswer& answer) {
    return print_v2_answer(model->signature(), wanted, answer);
  });
}

V2Duration duration(const ModelStats::Total& total) { return {total.count, total.ns}; }

V2Statistics statistics_of(LoadedModel& model) {
  const ModelStats::Values values = model.stats().read();
  V2Statistics statistics;
  statistics.name = model.signature().name;
  statistics.version = model.signature().version;
  statistics.last_inference_ms = values.last_ms;
  statistics.inference_count = values.rows;
  statistics.execution_count = values.runs;
  statistics.success = duration(values.success);
  statistics.fail = duration(values.failure);
  statistics.queue = duration(values.queue);
  statistics.compute_input = duration(values.input);
  statistics.compute_infer = duration(values.infer);
  statistics.compute_output = duration(values.output);
  return statistics;
}

// Of one version, of all versions of a model, or of all models.
Result<Response> statistics(const Serving& serving, const Request& request) {
  const auto name = request.parameters.find("model");
  if (name != request.parameters.end()) ROOST_CHECK(model_of(serving, request));
  const std::string version = version_of(request);
  std::vector<V2Statistics> all;
  for (const auto& model : serving.models.loaded()) {
    if (name != request.parameters.end() && model->signature().name != name->second) continue;
    if (!version.empty() && model->signature().version != version) continue;
    all.push_back(statistics_of(*model));
  }
  return json_response(v2_statistics_document(all));
}

Result<Response> index(const Serving& serving) {
  std::vector<V2IndexEntry> entries;
  for (const ModelSet::Entry& entry : serving.models.entries()) {
    entries.push_back({entry.source.name, entry.source.version, entry.model != nullptr, entry.reason});
  }
  return json_response(v2_index_document(entries));
}

class V2Routes {
 public:
  V2Routes(Router& router, const Serving& serving) : router_(router), serving_(serving) {}

  void add(const char* method, const std::string& pattern, const char* operation, Answering::Handle handle,
           std::uint64_t limit = 1 << 20, std::function<bool(const Request&)> is_quick = {}) {
    Route route{method, pattern, operation, {limit, false}, serving_.answering.around(v2_error, std::move(handle))};
    route.is_quick = std::move(is_quick);
    router_.add(std::move(route));
  }
  // With and without a version in the path.
  void add_for_model(const char* method, const std::string& rest, const std::string& operation,
                     const Answering::Handle& handle, std::uint64_t limit = 1 << 20,
                     const std::function<bool(const Request&)>& is_quick = {}) {
    add(method, "/v2/models/{model}" + rest, operation.c_str(), handle, limit, is_quick);
    add(method, "/v2/models/{model}/versions/{version}" + rest, (operation + "_version").c_str(), handle, limit, is_quick);
  }

 private:
  Router& router_;
  const Serving& serving_;
};

}  // namespace

void add_v2_routes(Router& router, const Serving& serving) {
  V2Routes routes(router, serving);
  const auto document = [](const Json& json) {
    return [json](Request&) -> Result<Response> { return json_response(json); };
  };
  routes.add("GET", "/v2", "v2_server", document(v2_server_document()));
  routes.add("GET", "/v2/health/live", "v2_live", document({{"live", true}}));
  routes.add("GET", "/v2/health/ready", "v2_ready", [serving](Request&) -> Result<Response> {
    Response response = json_response({{"ready", serving.models.are_all_loaded()}});
    if (!serving.models.are_all_loaded()) response.status = 400;
    return response;
  });
  routes.add_for_model("GET", "", "v2_model", [serving](Request& request) -> Result<Response> {
    ROOST_TRY(const auto model, model_of(serving, request));
    return json_response(v2_model_document(model->signature(), serving.models.versions(model->signature().name)));
  });
  routes.add_for_model("GET", "/ready", "v2_model_ready", [serving](Request& request) -> Result<Response> {
    auto model = model_of(serving, request);
    if (!model) return fail(ErrorCode::kInvalidArgument, model.error().message);  // 400, as Triton says it
    return json_response({{"name", (*model)->signature().name}, {"ready", true}});
  });
  routes.add_for_model("GET", "/config", "v2_config", [serving](Request& request) -> Result<Response> {
    ROOST_TRY(const auto model, model_of(serving, request));
    const BatchingOptions& batching = model->batching();
    return json_response(v2_config_document(model->signature(), {static_cast<std::uint64_t>(batching.max_batch),
                                                                 static_cast<std::uint64_t>(batching.max_delay_us)}));
  });
  routes.add_for_model("GET", "/stats", "v2_stats",
                       [serving](Request& request) { return statistics(serving, request); });
  routes.add("GET", "/v2/models/stats", "v2_all_stats",
             [serving](Request& request) { return statistics(serving, request); });
  routes.add_for_model(
      "POST", "/infer", "v2_infer", [serving](Request& request) { return infer(serving, request); },
      serving.max_body_bytes,
      [serving](const Request& request) { return is_quick(model_of(serving, request), request); });
  routes.add("POST", "/v2/repository/index", "v2_index", [serving](Request&) { return index(serving); });
  const auto change = [&](const char* what, const char* operation, Status (ModelSet::*act)(const std::string&)) {
    routes.add("POST", std::string("/v2/repository/models/{model}/") + what, operation,
               [serving, act](Request& request) -> Result<Response> {
                 ROOST_CHECK((serving.models.*act)(request.parameters.at("model")));
                 return Response{};
               });
  };
  change("load", "v2_load", &ModelSet::load);
  change("unload", "v2_unload", &ModelSet::unload);
}

}  // namespace roost
