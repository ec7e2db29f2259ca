#include "onnx/swagger.h"

#include <fmt/format.h>

namespace roost {
namespace {

Json element_schema(DataType type) {
  switch (type) {
    case DataType::kBool:
      return {{"type", "boolean"}};
    case DataType::kBytes:
      return {{"type", "string"}};
    case DataType::kFp16:
    case DataType::kBf16:
    case DataType::kFp32:
      return {{"type", "number"}, {"format", "float"}};
    case DataType::kFp64:
      return {{"type", "number"}, {"format", "double"}};
    case DataType::kInt64:
    case DataType::kUint64:
      return {{"type", "integer"}, {"format", "int64"}};
    default:
      return {{"type", "integer"}, {"format", "int32"}};
  }
}

// Lists in lists, as deep as the tensor.
Json tensor_schema(const TensorSpec& spec) {
  Json schema = element_schema(spec.type);
  for (auto size = spec.shape.rbegin(); size != spec.shape.rend(); ++size) {
    Json list = {{"type", "array"}, {"items", std::move(schema)}};
    if (*size >= 0) {
      list["minItems"] = *size;
      list["maxItems"] = *size;
    }
    schema = std::move(list);
  }
  return schema;
}

Json named_schema(const std::vector<TensorSpec>& specs) {
  Json properties = Json::object();
  for (const TensorSpec& spec : specs) properties[spec.name] = tensor_schema(spec);
  return {{"type", "object"}, {"properties", properties}};
}

Json request_schema(const ModelSignature& model) {
  Json data = model.inputs.size() == 1 ? tensor_schema(model.inputs.front()) : named_schema(model.inputs);
  return {{"type", "object"}, {"properties", {{"data", std::move(data)}}}, {"required", {"data"}}};
}

Json answer_schema(const ModelSignature& model) {
  const bool is_one = model.outputs.size() == 1;
  return {
      {"type", "object"},
      {"properties",
       {{is_one ? "result" : "outputs", is_one ? tensor_schema(model.outputs.front()) : named_schema(model.outputs)}}}};
}

}  // namespace

Result<Json> model_swagger(const ModelSignature& model, const std::string& version, std::string prefix) {
  while (prefix.ends_with('/')) prefix.pop_back();
  const Json info = {{"title", model.name},
                     {"version", model.version},
                     {"description", fmt::format("The model {} in ONNX Runtime, by Roost", model.name)}};
  Json score = {{"operationId", "score"}, {"summary", "Asks the model"}};
  if (version == "2" || version == "2.0") {
    score["consumes"] = {"application/json"};
    score["produces"] = {"application/json"};
    score["parameters"] = Json::array({{{"name", "request"},
                                        {"in", "body"},
                                        {"required", true},
                                        {"schema", {{"$ref", "#/definitions/ServiceInput"}}}}});
    score["responses"] = {
        {"200", {{"description", "What the model gives"}, {"schema", {{"$ref", "#/definitions/ServiceOutput"}}}}}};
    return Json{{"swagger", "2.0"},
                {"info", info},
                {"paths", {{prefix + "/score", {{"post", score}}}}},
                {"definitions", {{"ServiceInput", request_schema(model)}, {"ServiceOutput", answer_schema(model)}}}};
  }
  if (version == "3" || version == "3.0") {
    const auto content = [](const char* name) {
      return Json{{"application/json", {{"schema", {{"$ref", std::string("#/components/schemas/") + name}}}}}};
    };
    score["requestBody"] = {{"required", true}, {"content", content("ServiceInput")}};
    score["responses"] = {{"200", {{"description", "What the model gives"}, {"content", content("ServiceOutput")}}}};
    return Json{{"openapi", "3.0.3"},
                {"info", info},
                {"paths", {{prefix + "/score", {{"post", score}}}}},
                {"components",
                 {{"schemas", {{"ServiceInput", request_schema(model)}, {"ServiceOutput", answer_schema(model)}}}}}};
  }
  return fail(ErrorCode::kNotFound, fmt::format("there is no swagger version '{}'; there are 2 and 3", version));
}

}  // namespace roost
