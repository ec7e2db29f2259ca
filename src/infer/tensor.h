#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// Element types as the Open Inference Protocol names them ("FP32", "BYTES", ...).
enum class DataType { kBool, kUint8, kUint16, kUint32, kUint64, kInt8, kInt16, kInt32, kInt64, kFp16, kBf16, kFp32, kFp64, kBytes };

std::string_view data_type_name(DataType type);
std::optional<DataType> data_type_from_name(std::string_view name);
std::size_t element_size(DataType type);  // in bytes; 0 for kBytes

// Values of one name. `data` is little-endian and row-major, and belongs to `owner`; what kBytes holds is in `strings`.
struct Tensor {
  std::string name;
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
  std::string_view data;
  std::vector<std::string> strings;
  std::shared_ptr<const void> owner;
};

// How many elements a shape has; kInvalidArgument for a negative part, or where the product does not fit.
Result<std::uint64_t> element_count(std::span<const std::int64_t> shape);

// What a model takes or gives: -1 is a size that may vary.
struct TensorSpec {
  std::string name;
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
};

struct ModelSignature {
  std::string name;
  std::string version;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
};

}  // namespace roost
