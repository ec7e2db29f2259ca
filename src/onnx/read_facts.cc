#include "onnx/read_facts.h"

#include <fmt/format.h>

#include "base/log.h"
#include "onnx/element_type.h"

namespace roost {
namespace {

// A text that the library allocated.
using GetText = ort::OrtStatus* (*)(const ort::OrtModelMetadata*, ort::OrtAllocator*, char**);

std::string take_text(const OrtRuntime& runtime, ort::OrtAllocator* allocator, char* text) {
  std::string copy = text == nullptr ? "" : text;
  if (text != nullptr) runtime.api().ReleaseStatus(runtime.api().AllocatorFree(allocator, text));
  return copy;
}

struct Described {
  TensorSpec spec;
  std::string rows;
  std::string problem;  // why it cannot be served; empty if it can
};

Result<Described> describe(const OrtRuntime& runtime, std::string name, const ort::OrtTypeInfo* type) {
  const ort::OrtApi& ort = runtime.api();
  Described described;
  described.spec.name = std::move(name);
  ort::OnnxType kind = ort::kUnknownType;
  ROOST_CHECK(runtime.check(ort.GetOnnxTypeFromTypeInfo(type, &kind)));
  if (kind != ort::kTensorType) {
    described.problem = "is a sequence, a map or optional, not a tensor";
    return described;
  }
  const ort::OrtTensorTypeAndShapeInfo* info = nullptr;  // part of `type`
  ROOST_CHECK(runtime.check(ort.CastTypeInfoToTensorInfo(type, &info)));
  ort::ElementType element = ort::kUndefined;
  ROOST_CHECK(runtime.check(ort.GetTensorElementType(info, &element)));
  const auto known = data_type(element);
  if (!known) {
    described.problem =
        fmt::format("has elements of ONNX type {}, which no protocol carries", static_cast<int>(element));
    return described;
  }
  described.spec.type = *known;
  std::size_t rank = 0;
  ROOST_CHECK(runtime.check(ort.GetDimensionsCount(info, &rank)));
  described.spec.shape.resize(rank);
  ROOST_CHECK(runtime.check(ort.GetDimensions(info, described.spec.shape.data(), rank)));
  std::vector<const char*> names(rank, nullptr);
  ROOST_CHECK(runtime.check(ort.GetSymbolicDimensions(info, names.data(), rank)));
  if (rank > 0 && names[0] != nullptr) described.rows = names[0];
  return described;
}

using GetName = ort::OrtStatus* (*)(const ort::OrtSession*, std::size_t, ort::OrtAllocator*, char**);
using GetType = ort::OrtStatus* (*)(const ort::OrtSession*, std::size_t, ort::OrtTypeInfo**);

Result<Described> describe_at(const OrtRuntime& runtime, const ort::OrtSession* session, std::size_t index,
                              GetName get_name, GetType get_type) {
  ort::OrtAllocator* allocator = nullptr;
  ROOST_CHECK(runtime.check(runtime.api().GetAllocatorWithDefaultOptions(&allocator)));
  char* name = nullptr;
  ROOST_CHECK(runtime.check(get_name(session, index, allocator, &name)));
  ort::OrtTypeInfo* type = nullptr;
  std::string text = take_text(runtime, allocator, name);
  ROOST_CHECK(runtime.check(get_type(session, index, &type)));
  const OrtOwned<ort::OrtTypeInfo> owned(type, runtime.api().ReleaseTypeInfo);
  return describe(runtime, std::move(text), type);
}

Status read_metadata(const OrtRuntime& runtime, const ort::OrtSession* session, ModelFacts& facts) {
  const ort::OrtApi& ort = runtime.api();
  ort::OrtAllocator* allocator = nullptr;
  ROOST_CHECK(runtime.check(ort.GetAllocatorWithDefaultOptions(&allocator)));
  ort::OrtModelMetadata* metadata = nullptr;
  ROOST_CHECK(runtime.check(ort.SessionGetModelMetadata(session, &metadata)));
  const OrtOwned<ort::OrtModelMetadata> owned(metadata, ort.ReleaseModelMetadata);
  const auto read = [&](GetText get, std::string& into) -> Status {
    char* text = nullptr;
    ROOST_CHECK(runtime.check(get(metadata, allocator, &text)));
    into = take_text(runtime, allocator, text);
    return {};
  };
  ROOST_CHECK(read(ort.ModelMetadataGetProducerName, facts.producer));
  ROOST_CHECK(read(ort.ModelMetadataGetGraphName, facts.graph));
  return read(ort.ModelMetadataGetDescription, facts.description);
}

}  // namespace

Result<ModelFacts> read_facts(const OrtRuntime& runtime, const ort::OrtSession* session) {
  const ort::OrtApi& ort = runtime.api();
  ModelFacts facts;
  std::size_t count = 0;
  ROOST_CHECK(runtime.check(ort.SessionGetInputCount(session, &count)));
  for (std::size_t i = 0; i < count; ++i) {
    ROOST_TRY(Described input, describe_at(runtime, session, i, ort.SessionGetInputName, ort.SessionGetInputTypeInfo));
    if (!input.problem.empty()) {
      return fail(ErrorCode::kUnimplemented,
                  fmt::format("the model's input '{}' {}; export a model whose inputs are tensors", input.spec.name,
                              input.problem));
    }
    facts.inputs.push_back(std::move(input.spec));
    facts.input_rows.push_back(std::move(input.rows));
  }
  ROOST_CHECK(runtime.check(ort.SessionGetOutputCount(session, &count)));
  for (std::size_t i = 0; i < count; ++i) {
    ROOST_TRY(Described output,
              describe_at(runtime, session, i, ort.SessionGetOutputName, ort.SessionGetOutputTypeInfo));
    if (!output.problem.empty()) {
      log_warning(
          "the model's output '{}' {}: it is left out (scikit-learn's converter gives tensors with zipmap=False)",
          output.spec.name, output.problem);
      continue;
    }
    facts.outputs.push_back(std::move(output.spec));
    facts.output_rows.push_back(std::move(output.rows));
  }
  if (facts.outputs.empty()) return fail(ErrorCode::kUnimplemented, "the model has no output that is a tensor");
  ROOST_CHECK(read_metadata(runtime, session, facts));
  return facts;
}

}  // namespace roost
