#include "infer/score_request.h"
#include "onnx/serving_routes.h"
#include "onnx/swagger.h"

namespace roost {
namespace {

Result<Response> score(const Serving& serving, Request& request) {
  ROOST_TRY(const auto model, serving.models.find(serving.models.first_name()));
  const auto parse = [&] {
    return parse_score_request(request.header("content-type"), request.header("accept"),
                               std::make_shared<std::string>(std::move(request.body)), model->signature());
  };
  return serve_inference(serving, *model, parse, print_score_answer);
}

Result<Response> swagger(const Serving& serving, const Request& request) {
  ROOST_TRY(const auto model, serving.models.find(serving.models.first_name()));
  ROOST_TRY(const Json document, model_swagger(model->signature(), request.query_value("version").value_or("2"),
                                               request.header("x-roost-prefix")));
  Response response;
  response.body = to_text(document);
  return response;
}

}  // namespace

void add_score_routes(Router& router, const Serving& serving) {
  const auto add = [&](const char* method, const char* path, const char* operation, Answering::Handle handle,
                       std::uint64_t limit = 1 << 20) {
    router.add({method, path, operation, {limit, false}, serving.answering.around(score_error, std::move(handle))});
  };
  add("GET", "/", "health", [](Request&) -> Result<Response> {
    Response response;
    response.content_type = "text/plain; charset=utf-8";
    response.body = "Healthy";
    return response;
  });
  Route scoring{"POST", "/score", "score", {serving.max_body_bytes, false},
                serving.answering.around(score_error, [serving](Request& request) { return score(serving, request); })};
  scoring.is_quick = [serving](const Request& request) {
    return is_quick(serving.models.find(serving.models.first_name()), request);
  };
  router.add(std::move(scoring));
  router.add({"OPTIONS", "/score", "score_preflight", {}, serving.answering.preflight()});
  add("GET", "/swagger.json", "swagger", [serving](Request& request) { return swagger(serving, request); });
}

}  // namespace roost
