#include "infer/v2_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "infer/byte_strings.h"
#include "infer/classification.h"
#include "infer/json_print.h"

namespace roost {
namespace {

std::size_t binary_size(const Tensor& tensor) {
  return tensor.type == DataType::kBytes ? byte_strings_size(tensor.strings) : tensor.data.size();
}

Status append_output(std::string& out, const Tensor& tensor, bool binary) {
  out += "{\"name\":";
  append_json_string(out, tensor.name);
  fmt::format_to(std::back_inserter(out), ",\"datatype\":\"{}\",\"shape\":[{}],", data_type_name(tensor.type),
                 fmt::join(tensor.shape, ","));
  if (binary) {
    fmt::format_to(std::back_inserter(out), "\"parameters\":{{\"binary_data_size\":{}}}}}", binary_size(tensor));
    return {};
  }
  if (tensor.type == DataType::kFp16 || tensor.type == DataType::kBf16) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("output '{}' is {}, which has no JSON form: ask for it with \"parameters\": {{\"binary_data\": true}}",
                            tensor.name, data_type_name(tensor.type)));
  }
  out += "\"data\":";
  ROOST_CHECK(append_json_values(out, tensor, JsonLists::kFlat));
  out += '}';
  return {};
}

void append_binary(std::string& out, const Tensor& tensor) {
  if (tensor.type == DataType::kBytes) {
    append_byte_strings(out, tensor.strings);
  } else {
    out += tensor.data;
  }
}

// The ones to print, in the order asked for. `made` keeps those that are not the model's own.
Result<std::vector<const Tensor*>> tensors_of(const InferRequest& request, const InferAnswer& answer, std::vector<Tensor>& made) {
  if (answer.outputs.size() != request.outputs.size()) return fail(ErrorCode::kInternal, "the model gave other outputs than asked for");
  made.reserve(request.outputs.size());
  std::vector<const Tensor*> out;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    out.push_back(&answer.outputs[i]);
    if (request.outputs[i].classes == 0) continue;
    ROOST_TRY(Tensor classes, classify(answer.outputs[i], request.outputs[i].classes));
    made.push_back(std::move(classes));
    out.back() = &made.back();
  }
  return out;
}

int v2_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kDataMismatch:
    case ErrorCode::kFailedPrecondition: return 400;
    case ErrorCode::kResourceExhausted: return 503;
    default: return http_status(code);
  }
}

}  // namespace

Result<Response> print_v2_answer(const ModelSignature& model, const InferRequest& request, const InferAnswer& answer) {
  std::vector<Tensor> made;
  ROOST_TRY(const std::vector<const Tensor*> tensors, tensors_of(request, answer, made));
  Response response;
  std::string& body = response.body;
  body += '{';
  if (!request.id.empty()) {
    body += "\"id\":";
    append_json_string(body, request.id);
    body += ',';
  }
  body += "\"model_name\":";
  append_json_string(body, model.name);
  body += ",\"model_version\":";
  append_json_string(body, model.version);
  body += ",\"outputs\":[";
  std::size_t binary_bytes = 0;
  bool has_binary = false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) body += ',';
    ROOST_CHECK(append_output(body, *tensors[i], request.outputs[i].binary));
    if (!request.outputs[i].binary) continue;
    has_binary = true;
    binary_bytes += binary_size(*tensors[i]);
  }
  body += "]}";
  if (!has_binary) return response;
  response.content_type = "application/octet-stream";
  response.headers["Inference-Header-Content-Length"] = std::to_string(body.size());
  body.reserve(body.size() + binary_bytes);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (request.outputs[i].binary) append_binary(body, *tensors[i]);
  }
  return response;
}

Response v2_error(const Error& error) {
  Response response;
  response.status = v2_status(error.code);
  response.body = to_text(Json{{"error", error.message}});
  if (response.status == 503) response.headers["Retry-After"] = "1";
  return response;
}

}  // namespace roost
