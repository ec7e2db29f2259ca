#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "infer/infer_request.h"
#include "net/http.h"

namespace roost {

// What POST to scoring_uri ("/" and "/score") may be sent; the answer comes in the same form.
enum class ScoreForm {
  kPlain,        // {"data": ...}; see plain_json.h
  kOrtJson,      // ONNX Runtime Server's PredictRequest as JSON; see ort_json.h
  kOrtProtobuf,  // the same as a binary message; see ort_protobuf.h
};

struct ScoreRequest {
  ScoreForm form = ScoreForm::kPlain;         // of the request
  ScoreForm answer_form = ScoreForm::kPlain;  // ONNX Runtime Server lets Accept choose
  bool under_name = false;                    // plain, and the inputs were given by name
  bool raw = false;                           // ONNX Runtime Server's, and an input was raw data
  InferRequest request;
};

// Chooses by content type, and between the two JSON forms by what "inputs" holds. No content type, or one that is none of
// these, is kInvalidArgument.
Result<ScoreRequest> parse_score_request(std::string_view content_type, std::string_view accept,
                                         std::shared_ptr<std::string> body, const ModelSignature& model);
Result<Response> print_score_answer(const ScoreRequest& request, const InferAnswer& answer);

// {"message": text} with the status of the code; 503 also for kResourceExhausted.
Response score_error(const Error& error);

}  // namespace roost
