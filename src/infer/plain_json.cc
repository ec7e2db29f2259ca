#include "infer/plain_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "infer/check_request.h"
#include "infer/json_print.h"
#include "infer/json_reader.h"
#include "infer/json_values.h"

namespace roost {
namespace {

// The shape that people mean where they left the first level out, or where an empty list does not say what is behind it.
std::vector<std::int64_t> meant_shape(std::vector<std::int64_t> shape, const TensorSpec& spec) {
  const std::size_t rank = spec.shape.size();
  if (shape.size() < rank && !shape.empty() && shape.back() == 0) {
    for (std::size_t i = shape.size(); i < rank; ++i) shape.push_back(std::max<std::int64_t>(spec.shape[i], 0));
  } else if (shape.size() + 1 == rank && (spec.shape[0] == -1 || spec.shape[0] == 1)) {
    shape.insert(shape.begin(), 1);
  }
  return shape;
}

Result<Tensor> read_plain(JsonReader& reader, const TensorSpec& spec) {
  ROOST_TRY(JsonValues values, read_values(reader, spec.type, fmt::format("input '{}'", spec.name), 0));
  return Tensor{spec.name, spec.type, meant_shape(std::move(values.shape), spec), values.data, std::move(values.strings), values.owner};
}

std::string example(const ModelSignature& model) {
  std::string out;
  for (const TensorSpec& spec : model.inputs) out += fmt::format("{}\"{}\": [...]", out.empty() ? "" : ", ", spec.name);
  return fmt::format("{{\"data\": {{{}}}}}", out);
}

Status read_data(JsonReader& reader, const ModelSignature& model, PlainRequest& out) {
  std::vector<Tensor>& inputs = out.request.inputs;
  if (!inputs.empty()) return fail(ErrorCode::kInvalidArgument, "the request has its inputs twice");
  if (reader.peek() == '{') {
    out.under_name = true;
    return reader.object([&](const std::string& name) -> Status {
      ROOST_TRY(const TensorSpec* spec, find_input(model, name));
      if (inputs.size() > model.inputs.size()) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is given twice", name));
      ROOST_TRY(Tensor tensor, read_plain(reader, *spec));
      inputs.push_back(std::move(tensor));
      return {};
    });
  }
  if (model.inputs.size() != 1) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the model '{}' has {} inputs: give them by name, {}", model.name,
                                                         model.inputs.size(), example(model)));
  }
  ROOST_TRY(Tensor tensor, read_plain(reader, model.inputs.front()));
  inputs.push_back(std::move(tensor));
  return {};
}

}  // namespace

Result<PlainRequest> parse_plain_request(std::string_view body, const ModelSignature& model) {
  JsonReader reader(body, "the request body");
  PlainRequest out;
  bool has_data = false;
  std::string others;
  ROOST_CHECK(reader.object([&](const std::string& name) -> Status {
    if (name == "data" || name == "inputs") {
      has_data = true;
      return read_data(reader, model, out);
    }
    if (name == "outputs") {
      return reader.list([&]() -> Status {
        if (out.request.outputs.size() > model.outputs.size()) return fail(ErrorCode::kInvalidArgument, "the request asks for an output twice");
        ROOST_TRY(std::string output, reader.string());
        out.request.outputs.push_back({std::move(output), false, 0});
        return {};
      });
    }
    if (others.size() < 100) others += fmt::format("{}'{}'", others.empty() ? "" : ", ", printable(name, 40));
    ROOST_CHECK(reader.skip());
    return {};
  }));
  ROOST_CHECK(reader.end());
  if (!has_data) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the request has no \"data\" (it has {}): send {}", others.empty() ? "nothing" : others,
                            model.inputs.size() == 1 ? "{\"data\": [[...]]}" : example(model)));
  }
  ROOST_CHECK(check_request(model, out.request, false));
  return out;
}

Result<std::string> print_plain_answer(const InferAnswer& answer, bool under_name) {
  const bool by_name = under_name || answer.outputs.size() != 1;
  std::string out = by_name ? "{\"outputs\":{" : "{\"result\":";
  for (const Tensor& tensor : answer.outputs) {
    if (&tensor != &answer.outputs.front()) out.push_back(',');
    if (by_name) {
      append_json_string(out, tensor.name);
      out.push_back(':');
    }
    ROOST_CHECK(append_json_values(out, tensor, JsonLists::kNested));
  }
  return out + (by_name ? "}}" : "}");
}

}  // namespace roost
