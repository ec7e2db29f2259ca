#include "infer/v2_request.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "infer/align_blocks.h"
#include "infer/byte_strings.h"
#include "infer/check_request.h"
#include "infer/json_values.h"
#include "infer/v2_json.h"
#include "infer/v2_raw.h"

namespace roost {
namespace {

Result<Tensor> tensor_from_json(const V2Input& input, const Tensor& shell) {
  const std::string name = fmt::format("input '{}'", shell.name);
  if (shell.type == DataType::kFp16 || shell.type == DataType::kBf16) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is {}, which has no JSON form: send it as binary data", name, data_type_name(shell.type)));
  }
  ROOST_TRY(const std::uint64_t count, element_count(shell.shape));
  JsonReader reader(*input.data, name);
  ROOST_TRY(JsonValues values, read_values(reader, shell.type, name, count));
  if (values.count != count) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} is said to be {}, which is {} elements; its data has {}", name,
                                                         tensor_text(shell.type, shell.shape), count, values.count));
  }
  Tensor out = shell;
  out.data = values.data;
  out.strings = std::move(values.strings);
  out.owner = std::move(values.owner);
  return out;
}

// Which bytes of the body belong to which input, those that came in JSON having none.
Result<std::vector<Block>> blocks_of(const std::vector<V2Input>& inputs, std::size_t from, std::size_t size) {
  std::vector<Block> blocks;
  std::size_t at = from;
  for (const V2Input& input : inputs) {
    if (!input.binary_size) continue;
    if (*input.binary_size > size - at) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is said to have {} bytes of binary data, and {} are left in the "
                                                           "body", printable(input.name), *input.binary_size, size - at));
    }
    const std::size_t align = element_size(input.type);
    blocks.push_back({at, *input.binary_size, align == 0 || *input.binary_size == 0 ? 1 : align});
    at += *input.binary_size;
  }
  if (at != size) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the body has {} bytes of binary data that belong to no input: check "
                                                         "Inference-Header-Content-Length and each binary_data_size", size - at));
  }
  return blocks;
}

// What must be known before any bytes are looked at.
Status check_shell(const ModelSignature& model, const V2Input& input) {
  ROOST_TRY(const TensorSpec* spec, find_input(model, input.name));
  if (input.type != spec->type) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is {}, the model expects {}", input.name,
                                                         tensor_text(input.type, input.shape), spec_text(*spec)));
  }
  if (input.data && input.binary_size) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has both \"data\" and \"binary_data_size\"", input.name));
  }
  if (!input.data && !input.binary_size) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has neither \"data\" nor \"binary_data_size\" in its "
                                                         "\"parameters\"", input.name));
  }
  return {};
}

Result<InferRequest> parse_with_json(std::size_t json_size, const std::shared_ptr<std::string>& body, const ModelSignature& model) {
  ROOST_TRY(V2Json json, read_v2_json(std::string_view(*body).substr(0, json_size), model));
  for (const V2Input& input : json.inputs) ROOST_CHECK(check_shell(model, input));
  ROOST_TRY(std::vector<Block> blocks, blocks_of(json.inputs, json_size, body->size()));
  InferRequest out;
  out.id = std::move(json.id);
  out.outputs = std::move(json.outputs);
  // First what reads the JSON, which aligning overwrites.
  for (const V2Input& input : json.inputs) {
    Tensor tensor{input.name, input.type, input.shape, {}, {}, nullptr};
    if (input.data) {
      ROOST_TRY(tensor, tensor_from_json(input, tensor));
    }
    out.inputs.push_back(std::move(tensor));
  }
  // There is room: the JSON of a binary input is longer than the seven bytes it may have to move.
  if (!align_blocks(*body, blocks)) return fail(ErrorCode::kInternal, "no room to align the tensors of the body");
  auto block = blocks.begin();
  for (std::size_t i = 0; i < json.inputs.size(); ++i) {
    if (!json.inputs[i].binary_size) continue;
    Tensor& tensor = out.inputs[i];
    const std::string_view bytes = std::string_view(*body).substr(block->begin, block->size);
    ++block;
    if (tensor.type == DataType::kBytes) {
      ROOST_TRY(tensor.strings, read_byte_strings(bytes, fmt::format("input '{}'", tensor.name)));
    } else {
      tensor.data = bytes;
      tensor.owner = body;
    }
  }
  ROOST_CHECK(check_request(model, out, json.binary_output));
  return out;
}

}  // namespace

Result<InferRequest> parse_v2_request(std::string_view header_length, std::shared_ptr<std::string> body, const ModelSignature& model) {
  const std::string_view text = trim(header_length);
  if (text.empty()) return parse_with_json(body->size(), body, model);
  std::uint64_t length = 0;
  const auto [after, problem] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (problem != std::errc() || after != text.data() + text.size()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("Inference-Header-Content-Length is '{}', not a number", printable(text, 30)));
  }
  if (length > body->size()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("Inference-Header-Content-Length is {}, and the body has only {} bytes",
                                                         length, body->size()));
  }
  if (length == 0) return parse_v2_raw(std::move(body), model);
  return parse_with_json(length, body, model);
}

}  // namespace roost
