#include "infer/ort_tensor.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "infer/onnx_type.h"

namespace roost {

Result<DataType> ort_type(std::string_view input, std::string_view text) {
  std::int64_t number = 0;
  const auto [after, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = problem == std::errc() && after == text.data() + text.size();
  if (const auto type = is_number ? data_type_from_onnx(number) : data_type_from_onnx_name(text)) return *type;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("input '{}' has the dataType '{}', which no tensor here can be: 1 is FLOAT, 6 INT32, 7 INT64, 8 STRING, 9 "
                          "BOOL, 11 DOUBLE", printable(input), printable(text, 30)));
}

Status want_output(const ModelSignature& model, InferRequest& request, std::string name) {
  if (request.outputs.size() > model.outputs.size()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("more outputs are asked for than the {} of the model", model.outputs.size()));
  }
  request.outputs.push_back({std::move(name), false, 0});
  return {};
}

Status room_for_input(const ModelSignature& model, const InferRequest& request) {
  if (request.inputs.size() <= model.inputs.size()) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("the request has more inputs than the {} of the model", model.inputs.size()));
}

}  // namespace roost
