#include <array>
#include <limits>

#include <fmt/format.h>

#include "infer/tensor.h"

namespace roost {
namespace {

struct TypeFacts {
  std::string_view name;
  std::size_t size;
};
// In the order of DataType.
constexpr std::array<TypeFacts, 14> kTypes = {{{"BOOL", 1}, {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8},
                                               {"INT8", 1}, {"INT16", 2}, {"INT32", 4}, {"INT64", 8}, {"FP16", 2},
                                               {"BF16", 2}, {"FP32", 4}, {"FP64", 8}, {"BYTES", 0}}};

}  // namespace

std::string_view data_type_name(DataType type) { return kTypes.at(static_cast<std::size_t>(type)).name; }

std::optional<DataType> data_type_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

std::size_t element_size(DataType type) { return kTypes.at(static_cast<std::size_t>(type)).size; }

Result<std::uint64_t> element_count(std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  for (const std::int64_t part : shape) {
    if (part < 0) return fail(ErrorCode::kInvalidArgument, fmt::format("the shape [{}] has a negative part", fmt::join(shape, ",")));
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(part), &count)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the shape [{}] has more elements than there can be", fmt::join(shape, ",")));
    }
  }
  return count;
}

}  // namespace roost
