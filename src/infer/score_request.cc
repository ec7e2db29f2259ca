#include "infer/score_request.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "infer/json_reader.h"
#include "infer/ort_json.h"
#include "infer/ort_protobuf.h"
#include "infer/plain_json.h"

namespace roost {
namespace {

// Without its parameters: "application/json; charset=utf-8".
std::string bare_type(std::string_view type) { return lower(trim(type.substr(0, type.find(';')))); }

bool is_json(std::string_view type) { return type == "application/json" || type == "text/json" || type.ends_with("+json"); }
bool is_protobuf(std::string_view type) {
  return type == "application/x-protobuf" || type == "application/vnd.google.protobuf" || type == "application/octet-stream";
}

// Of the two JSON forms: ONNX Runtime Server's inputs are objects, in the plain form they are lists. What is broken is
// plain, whose reader will say so.
ScoreForm json_form(std::string_view body) {
  JsonReader reader(body, "the request body");
  ScoreForm form = ScoreForm::kPlain;
  (void)reader.object([&](const std::string& name) -> Status {
    if (name == "data") return reader.wrong("no more: it is known");
    if (name == "inputs" && reader.peek() == '{') {
      return reader.object([&](const std::string&) -> Status {
        if (reader.peek() == '{') form = ScoreForm::kOrtJson;
        return reader.wrong("no more: it is known");
      });
    }
    ROOST_CHECK(reader.skip());
    return {};
  });
  return form;
}

// The first type of Accept that can be made decides; none of them, or */*, means the form of the request.
ScoreForm answer_form(std::string_view accept, ScoreForm request) {
  if (request == ScoreForm::kPlain) return request;
  for (const std::string& one : split(accept, ',')) {
    const std::string type = bare_type(one);
    if (is_json(type)) return ScoreForm::kOrtJson;
    if (is_protobuf(type)) return ScoreForm::kOrtProtobuf;
    if (type == "*/*") return request;
  }
  return request;
}

}  // namespace

Result<ScoreRequest> parse_score_request(std::string_view content_type, std::string_view accept, std::shared_ptr<std::string> body,
                                         const ModelSignature& model) {
  const std::string type = bare_type(content_type);
  ScoreRequest out;
  if (is_protobuf(type)) {
    out.form = ScoreForm::kOrtProtobuf;
  } else if (is_json(type)) {
    out.form = json_form(*body);
  } else {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: send application/json, or application/x-protobuf for a PredictRequest of ONNX Runtime Server",
                            type.empty() ? "the request has no Content-Type"
                                         : fmt::format("the Content-Type '{}' is not taken here", printable(type, 60))));
  }
  if (out.form == ScoreForm::kPlain) {
    ROOST_TRY(PlainRequest plain, parse_plain_request(*body, model));
    out.under_name = plain.under_name;
    out.request = std::move(plain.request);
  } else {
    ROOST_TRY(OrtRequest ort, out.form == ScoreForm::kOrtJson ? parse_ort_json(*body, model) : parse_ort_protobuf(body, model));
    out.raw = ort.raw;
    out.request = std::move(ort.request);
  }
  out.answer_form = answer_form(accept, out.form);
  return out;
}

Result<Response> print_score_answer(const ScoreRequest& request, const InferAnswer& answer) {
  Response response;
  switch (request.answer_form) {
    case ScoreForm::kPlain: {
      ROOST_TRY(response.body, print_plain_answer(answer, request.under_name));
      break;
    }
    case ScoreForm::kOrtJson:
      response.body = print_ort_json(answer, request.raw);
      break;
    case ScoreForm::kOrtProtobuf:
      response.content_type = "application/octet-stream";
      response.body = print_ort_protobuf(answer, request.raw);
      break;
  }
  return response;
}

Response score_error(const Error& error) {
  Response response;
  response.status = error.code == ErrorCode::kResourceExhausted ? 503 : http_status(error.code);
  response.body = to_text(Json{{"message", error.message}});
  if (response.status == 503) response.headers["Retry-After"] = "1";
  return response;
}

}  // namespace roost
