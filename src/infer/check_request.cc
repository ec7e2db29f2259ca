#include "infer/check_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

template <class Part>
std::string names_of(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) out += fmt::format("{}'{}'", out.empty() ? "" : ", ", part.name);
  return out.empty() ? "none" : out;
}

bool fits(const TensorSpec& spec, const std::vector<std::int64_t>& shape) {
  if (spec.shape.empty()) return true;
  return std::equal(shape.begin(), shape.end(), spec.shape.begin(), spec.shape.end(),
                    [](std::int64_t has, std::int64_t wants) { return wants < 0 || has == wants; });
}

Status check_input(const TensorSpec& spec, const Tensor& tensor) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is {}, the model expects {}{}", spec.name,
                                                         tensor_text(tensor.type, tensor.shape), spec_text(spec), why));
  };
  if (tensor.type != spec.type) return refuse("");
  if (!fits(spec, tensor.shape)) return refuse(tensor.shape.size() == spec.shape.size() ? "" : ": another number of dimensions");
  ROOST_TRY(const std::uint64_t count, element_count(tensor.shape));
  const std::size_t size = element_size(spec.type);
  const bool is_text = spec.type == DataType::kBytes;
  const std::uint64_t has = is_text ? tensor.strings.size() : tensor.data.size() / size;
  if (has != count || (!is_text && tensor.data.size() % size != 0)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("input '{}' is said to be {}, which is {} elements{}; it came with {}", spec.name,
                            tensor_text(tensor.type, tensor.shape), count,
                            is_text ? "" : fmt::format(" of {} bytes", size),
                            is_text ? fmt::format("{} strings", has) : fmt::format("{} bytes", tensor.data.size())));
  }
  return {};
}

Status order_inputs(const ModelSignature& model, std::vector<Tensor>& inputs) {
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const TensorSpec& spec = model.inputs[i];
    const auto place = inputs.begin() + static_cast<std::ptrdiff_t>(std::min(i, inputs.size()));
    const auto it = std::find_if(place, inputs.end(), [&](const Tensor& input) { return input.name == spec.name; });
    if (it == inputs.end()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is missing: the model expects {}, and got {}", spec.name,
                                                           spec_text(spec), names_of(inputs)));
    }
    ROOST_CHECK(check_input(spec, *it));
    std::iter_swap(place, it);
  }
  return {};
}

}  // namespace

std::string tensor_text(DataType type, std::span<const std::int64_t> shape) {
  return fmt::format("{} [{}]", data_type_name(type), fmt::join(shape.first(std::min<std::size_t>(shape.size(), 32)), ","));
}

std::string spec_text(const TensorSpec& spec) {
  return spec.shape.empty() ? fmt::format("{} of any shape", data_type_name(spec.type)) : tensor_text(spec.type, spec.shape);
}

Result<const TensorSpec*> find_input(const ModelSignature& model, std::string_view name) {
  for (const TensorSpec& spec : model.inputs) {
    if (spec.name == name) return &spec;
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("the model '{}' has no input '{}'; it has {}", model.name, printable(name),
                                                       names_of(model.inputs)));
}

Status check_request(const ModelSignature& model, InferRequest& request, bool binary) {
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    const std::string& name = request.inputs[i].name;
    ROOST_CHECK(find_input(model, name));
    for (std::size_t j = 0; j < i; ++j) {
      if (request.inputs[j].name == name) return fail(ErrorCode::kInvalidArgument, fmt::format("input '{}' is given twice", name));
    }
  }
  ROOST_CHECK(order_inputs(model, request.inputs));
  if (request.outputs.empty()) {
    for (const TensorSpec& spec : model.outputs) request.outputs.push_back({spec.name, binary, 0});
    return {};
  }
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const std::string& name = request.outputs[i].name;
    if (std::none_of(model.outputs.begin(), model.outputs.end(), [&](const TensorSpec& spec) { return spec.name == name; })) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the model '{}' has no output '{}'; it has {}", model.name,
                                                           printable(name), names_of(model.outputs)));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (request.outputs[j].name == name) return fail(ErrorCode::kInvalidArgument, fmt::format("output '{}' is asked for twice", name));
    }
  }
  return {};
}

}  // namespace roost
