#include "onnx/ort_value.h"

#include <cstdint>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "onnx/element_type.h"

namespace roost {
namespace {

constexpr std::align_val_t kAlignment{64};

Result<std::vector<std::int64_t>> shape_of(const OrtRuntime& runtime, const ort::OrtTensorTypeAndShapeInfo* info) {
  std::size_t rank = 0;
  ROOST_CHECK(runtime.check(runtime.api().GetDimensionsCount(info, &rank)));
  std::vector<std::int64_t> shape(rank);
  ROOST_CHECK(runtime.check(runtime.api().GetDimensions(info, shape.data(), rank)));
  return shape;
}

Result<std::vector<std::string>> strings_of(const OrtRuntime& runtime, const ort::OrtValue* value, std::size_t count) {
  std::size_t size = 0;
  ROOST_CHECK(runtime.check(runtime.api().GetStringTensorDataLength(value, &size)));
  std::string text(size, '\0');
  std::vector<std::size_t> offsets(count);
  if (count > 0)
    ROOST_CHECK(runtime.check(runtime.api().GetStringTensorContent(value, text.data(), size, offsets.data(), count)));
  std::vector<std::string> strings;
  strings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = i + 1 < count ? offsets[i + 1] : size;
    strings.push_back(text.substr(offsets[i], end - offsets[i]));
  }
  return strings;
}

Result<Tensor> read_output(const std::shared_ptr<OrtValues>& values, ort::OrtValue* value, const std::string& name) {
  const OrtRuntime& runtime = values->runtime();
  const ort::OrtApi& ort = runtime.api();
  int is_tensor = 0;
  if (value != nullptr) ROOST_CHECK(runtime.check(ort.IsTensor(value, &is_tensor)));
  if (is_tensor == 0) return fail(ErrorCode::kUnimplemented, fmt::format("the output '{}' is no tensor", name));
  ort::OrtTensorTypeAndShapeInfo* made = nullptr;
  ROOST_CHECK(runtime.check(ort.GetTensorTypeAndShape(value, &made)));
  const OrtOwned<ort::OrtTensorTypeAndShapeInfo> info(made, ort.ReleaseTensorTypeAndShapeInfo);
  ort::ElementType element = ort::kUndefined;
  ROOST_CHECK(runtime.check(ort.GetTensorElementType(made, &element)));
  const auto type = data_type(element);
  if (!type)
    return fail(ErrorCode::kUnimplemented,
                fmt::format("the output '{}' has elements that cannot be sent (ONNX type {})", name,
                            static_cast<int>(element)));
  Tensor tensor;
  tensor.name = name;
  tensor.type = *type;
  ROOST_TRY(tensor.shape, shape_of(runtime, made));
  std::size_t count = 0;
  ROOST_CHECK(runtime.check(ort.GetTensorShapeElementCount(made, &count)));
  if (*type == DataType::kBytes) {
    ROOST_TRY(tensor.strings, strings_of(runtime, value, count));
    return tensor;
  }
  void* data = nullptr;
  ROOST_CHECK(runtime.check(ort.GetTensorMutableData(value, &data)));
  tensor.data = {static_cast<const char*>(data), count * element_size(*type)};
  tensor.owner = values;
  return tensor;
}

}  // namespace

std::shared_ptr<char> aligned_memory(std::size_t size) {
  return {static_cast<char*>(::operator new(size, kAlignment)),
          [](char* memory) { ::operator delete(memory, kAlignment); }};
}

OrtValues::~OrtValues() {
  for (ort::OrtValue* value : made_) runtime_->api().ReleaseValue(value);
  for (ort::OrtValue* value : outputs_) {
    if (value != nullptr) runtime_->api().ReleaseValue(value);
  }
}

std::vector<ort::OrtValue*>& OrtValues::outputs(std::size_t count) {
  outputs_.assign(count, nullptr);
  return outputs_;
}

Status OrtValues::add_input(const Tensor& tensor) {
  if (tensor.type == DataType::kBytes) return add_strings(tensor);
  const std::size_t size = element_size(tensor.type);
  ROOST_TRY(const std::uint64_t count, element_count(tensor.shape));
  if (tensor.data.size() / size != count || tensor.data.size() % size != 0) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("the input '{}' has {} bytes, but its shape [{}] of {} needs {} elements of {}", tensor.name,
                    tensor.data.size(), fmt::join(tensor.shape, ","), data_type_name(tensor.type), count, size));
  }
  const char* data = tensor.data.data();
  static constexpr std::int64_t kNothing = 0;
  if (tensor.data.empty()) {
    data = reinterpret_cast<const char*>(&kNothing);  // never read
  } else if (reinterpret_cast<std::uintptr_t>(data) % size != 0) {
    auto copy = aligned_memory(tensor.data.size());
    std::memcpy(copy.get(), data, tensor.data.size());
    data = copy.get();
    owners_.push_back(std::move(copy));
  } else if (tensor.owner) {
    owners_.push_back(tensor.owner);
  }
  ort::OrtValue* value = nullptr;
  // Inputs are only read; the interface knows no const.
  ROOST_CHECK(runtime_->check(runtime_->api().CreateTensorWithDataAsOrtValue(
      runtime_->cpu(), const_cast<char*>(data), tensor.data.size(), tensor.shape.data(), tensor.shape.size(),
      element_type(tensor.type), &value)));
  made_.push_back(value);
  inputs_.push_back(value);
  return {};
}

Status OrtValues::add_strings(const Tensor& tensor) {
  const ort::OrtApi& ort = runtime_->api();
  ROOST_TRY(const std::uint64_t count, element_count(tensor.shape));
  if (tensor.strings.size() != count) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the input '{}' has {} strings, but its shape [{}] needs {}", tensor.name,
                            tensor.strings.size(), fmt::join(tensor.shape, ","), count));
  }
  ort::OrtAllocator* allocator = nullptr;
  ROOST_CHECK(runtime_->check(ort.GetAllocatorWithDefaultOptions(&allocator)));
  ort::OrtValue* value = nullptr;
  ROOST_CHECK(runtime_->check(
      ort.CreateTensorAsOrtValue(allocator, tensor.shape.data(), tensor.shape.size(), ort::kString, &value)));
  made_.push_back(value);
  inputs_.push_back(value);
  for (std::size_t i = 0; i < tensor.strings.size(); ++i) {
    const std::string& text = tensor.strings[i];
    char* buffer = nullptr;
    ROOST_CHECK(runtime_->check(ort.GetResizedStringTensorElementBuffer(value, i, text.size(), &buffer)));
    std::memcpy(buffer, text.data(), text.size());
  }
  return {};
}

Result<std::vector<Tensor>> read_outputs(const std::shared_ptr<OrtValues>& values, std::span<const std::string> names) {
  std::vector<Tensor> tensors;
  tensors.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    ROOST_TRY(Tensor tensor, read_output(values, values->outputs()[i], names[i]));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace roost
