#include "infer/v2_json.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "infer/json_reader.h"
#include "infer/json_shape.h"

namespace roost {
namespace {

constexpr std::size_t kMaxParameters = 64 << 10;  // bytes of text: they become a tree

Result<Json> read_parameters(JsonReader& reader) {
  ROOST_TRY(const std::string_view text, reader.skip());
  if (text.size() > kMaxParameters) return fail(ErrorCode::kInvalidArgument, "\"parameters\" are longer than 64 KiB");
  ROOST_TRY(Json parameters, parse_json(text, "\"parameters\""));
  if (!parameters.is_object() && !parameters.is_null()) return fail(ErrorCode::kInvalidArgument, "\"parameters\" must be an object");
  if (parameters.contains("shared_memory_region")) {
    return fail(ErrorCode::kInvalidArgument, "tensors in shared memory are not supported: send them as binary data");
  }
  return parameters;
}

Result<std::optional<bool>> flag(const Json& parameters, const char* name) {
  const Json& value = member(parameters, name);
  if (value.is_null()) return std::optional<bool>();
  if (!value.is_boolean()) return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" must be true or false", name));
  return std::optional<bool>(value.get<bool>());
}

Result<std::optional<std::uint64_t>> size(const Json& parameters, const char* name) {
  const Json& value = member(parameters, name);
  if (value.is_null()) return std::optional<std::uint64_t>();
  if (!value.is_number_unsigned()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" must be a whole number that is not negative", name));
  }
  return std::optional<std::uint64_t>(value.get<std::uint64_t>());
}

Result<V2Input> read_input(JsonReader& reader) {
  V2Input out;
  bool has_name = false, has_shape = false;
  std::string datatype;
  ROOST_CHECK(reader.object([&](const std::string& name) -> Status {
    if (name == "name") {
      has_name = true;
      ROOST_TRY(out.name, reader.string());
    } else if (name == "datatype") {
      ROOST_TRY(datatype, reader.string());
    } else if (name == "shape") {
      has_shape = true;
      ROOST_TRY(out.shape, read_shape(reader));
    } else if (name == "parameters") {
      ROOST_TRY(const Json parameters, read_parameters(reader));
      ROOST_TRY(out.binary_size, size(parameters, "binary_data_size"));
    } else {
      ROOST_TRY(const std::string_view text, reader.skip());
      if (name == "data" && text != "null") out.data = text;
    }
    return {};
  }));
  if (!has_name) return fail(ErrorCode::kInvalidArgument, "an input has no \"name\"");
  const std::string shown = printable(out.name);
  if (!has_shape) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has no \"shape\"", shown));
  if (datatype.empty()) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' has no \"datatype\"", shown));
  const auto type = data_type_from_name(datatype);
  if (!type) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("input '{}' has the datatype '{}', which there is not", shown, printable(datatype, 30)));
  }
  out.type = *type;
  return out;
}

struct V2Output {
  WantedOutput wanted;
  std::optional<bool> binary;
};

Result<V2Output> read_output(JsonReader& reader) {
  V2Output out;
  bool has_name = false;
  ROOST_CHECK(reader.object([&](const std::string& name) -> Status {
    if (name == "name") {
      has_name = true;
      ROOST_TRY(out.wanted.name, reader.string());
    } else if (name == "parameters") {
      ROOST_TRY(const Json parameters, read_parameters(reader));
      ROOST_TRY(out.binary, flag(parameters, "binary_data"));
      ROOST_TRY(const auto classes, size(parameters, "classification"));
      out.wanted.classes = classes.value_or(0);
    } else {
      ROOST_CHECK(reader.skip());
    }
    return {};
  }));
  if (!has_name) return fail(ErrorCode::kInvalidArgument, "an output has no \"name\"");
  return out;
}

}  // namespace

Result<V2Json> read_v2_json(std::string_view text, const ModelSignature& model) {
  JsonReader reader(text, "the JSON of the request");
  V2Json out;
  std::vector<V2Output> outputs;
  bool has_inputs = false;
  const auto at_most = [](std::size_t count, std::size_t limit, std::string_view what) -> Status {
    if (count < limit) return {};
    return fail(ErrorCode::kInvalidArgument, fmt::format("the request has more {} than the {} of the model", what, limit));
  };
  ROOST_CHECK(reader.object([&](const std::string& name) -> Status {
    if (name == "id") {
      ROOST_TRY(out.id, reader.string());
    } else if (name == "parameters") {
      ROOST_TRY(const Json parameters, read_parameters(reader));
      ROOST_TRY(const auto binary, flag(parameters, "binary_data_output"));
      out.binary_output = binary.value_or(false);
    } else if (name == "inputs") {
      has_inputs = true;
      return reader.list([&]() -> Status {
        ROOST_TRY(V2Input input, read_input(reader));
        ROOST_CHECK(at_most(out.inputs.size(), model.inputs.size() + 1, "inputs"));
        out.inputs.push_back(std::move(input));
        return {};
      });
    } else if (name == "outputs") {
      return reader.list([&]() -> Status {
        ROOST_TRY(V2Output output, read_output(reader));
        ROOST_CHECK(at_most(outputs.size(), model.outputs.size() + 1, "outputs"));
        outputs.push_back(std::move(output));
        return {};
      });
    } else {
      ROOST_CHECK(reader.skip());
    }
    return {};
  }));
  ROOST_CHECK(reader.end());
  if (!has_inputs) return fail(ErrorCode::kInvalidArgument, "the request has no \"inputs\"");
  for (V2Output& output : outputs) {
    output.wanted.binary = output.binary.value_or(out.binary_output);
    out.outputs.push_back(std::move(output.wanted));
  }
  return out;
}

}  // namespace roost
