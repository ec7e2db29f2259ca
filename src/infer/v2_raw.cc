#include "infer/v2_raw.h"

#include <algorithm>

#include <fmt/format.h>

#include "infer/check_request.h"

namespace roost {
namespace {

Result<std::vector<std::int64_t>> raw_shape(const TensorSpec& spec, std::uint64_t elements) {
  std::vector<std::int64_t> shape = spec.shape;
  const auto is_variable = [](std::int64_t part) { return part < 0; };
  auto variable = std::count_if(shape.begin(), shape.end(), is_variable);
  if (variable == 2 && shape.front() < 0) {
    shape.front() = 1;
    --variable;
  }
  if (variable > 1) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is {}: its shape cannot be told from the size of a body without "
                                                         "JSON", spec.name, spec_text(spec)));
  }
  if (variable == 0) return shape;
  std::uint64_t rest = 1;
  for (const std::int64_t part : shape) {
    if (part >= 0 && __builtin_mul_overflow(rest, static_cast<std::uint64_t>(part), &rest)) rest = 0;
  }
  *std::find_if(shape.begin(), shape.end(), is_variable) = rest == 0 ? 0 : static_cast<std::int64_t>(elements / rest);
  return shape;
}

}  // namespace

Result<InferRequest> parse_v2_raw(std::shared_ptr<std::string> body, const ModelSignature& model) {
  if (model.inputs.size() != 1) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("a body without JSON (Inference-Header-Content-Length: 0) is for models with "
                                                         "one input; '{}' has {}", model.name, model.inputs.size()));
  }
  const TensorSpec& spec = model.inputs.front();
  Tensor input{spec.name, spec.type, {}, {}, {}, nullptr};
  if (spec.type == DataType::kBytes) {
    ROOST_TRY(input.shape, raw_shape(spec, 1));
    input.strings.push_back(std::move(*body));
  } else {
    const std::uint64_t elements = body->size() / element_size(spec.type);
    if (spec.shape.empty()) {
      input.shape = {static_cast<std::int64_t>(elements)};
    } else {
      ROOST_TRY(input.shape, raw_shape(spec, elements));
    }
    input.data = *body;
    input.owner = std::move(body);
  }
  InferRequest out;
  out.inputs.push_back(std::move(input));
  ROOST_CHECK(check_request(model, out, true));
  return out;
}

}  // namespace roost
