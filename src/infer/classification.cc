#include "infer/classification.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "infer/json_values.h"
#include "wire/half.h"

namespace roost {
namespace {

template <class T>
T at(std::string_view bytes, std::uint64_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place * sizeof(T), sizeof(T));
  return value;
}

// Long double holds every integer and float exactly.
long double number_at(const Tensor& tensor, std::uint64_t place) {
  const std::string_view bytes = tensor.data;
  switch (tensor.type) {
    case DataType::kUint8: return at<std::uint8_t>(bytes, place);
    case DataType::kUint16: return at<std::uint16_t>(bytes, place);
    case DataType::kUint32: return at<std::uint32_t>(bytes, place);
    case DataType::kUint64: return at<std::uint64_t>(bytes, place);
    case DataType::kInt8: return at<std::int8_t>(bytes, place);
    case DataType::kInt16: return at<std::int16_t>(bytes, place);
    case DataType::kInt32: return at<std::int32_t>(bytes, place);
    case DataType::kInt64: return at<std::int64_t>(bytes, place);
    case DataType::kFp16: return half_to_float(at<std::uint16_t>(bytes, place));
    case DataType::kBf16: return bfloat_to_float(at<std::uint16_t>(bytes, place));
    case DataType::kFp32: return at<float>(bytes, place);
    case DataType::kFp64: return at<double>(bytes, place);
    case DataType::kBool:
    case DataType::kBytes: break;
  }
  return 0;
}

bool is_float(DataType type) {
  return type == DataType::kFp16 || type == DataType::kBf16 || type == DataType::kFp32 || type == DataType::kFp64;
}

}  // namespace

Result<Tensor> classify(const Tensor& tensor, std::uint64_t classes) {
  if (tensor.type == DataType::kBool || tensor.type == DataType::kBytes) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("output '{}' is {}: it has no classes", tensor.name, data_type_name(tensor.type)));
  }
  ROOST_TRY(const std::uint64_t count, element_count(tensor.shape));
  if (tensor.data.size() != count * element_size(tensor.type)) {
    return fail(ErrorCode::kInternal, fmt::format("output '{}' does not have the data of its shape", tensor.name));
  }
  const std::uint64_t rows = tensor.shape.size() > 1 && count > 0 ? static_cast<std::uint64_t>(tensor.shape[0]) : 1;
  const std::uint64_t width = count / rows;
  const std::uint64_t best = std::min(classes, width);
  if (best * rows > kMaxStrings) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("output '{}' would be {} strings: ask for fewer classes", tensor.name, best * rows));
  }
  Tensor out{tensor.name, DataType::kBytes, {static_cast<std::int64_t>(best)}, {}, {}, nullptr};
  if (tensor.shape.size() > 1) out.shape.insert(out.shape.begin(), count > 0 ? tensor.shape[0] : 0);
  std::vector<std::uint64_t> order(width);
  for (std::uint64_t row = 0; count > 0 && row < rows; ++row) {
    std::iota(order.begin(), order.end(), 0);
    const auto is_higher = [&](std::uint64_t a, std::uint64_t b) {
      const long double x = number_at(tensor, row * width + a), y = number_at(tensor, row * width + b);
      if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
      return x != y ? x > y : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best), order.end(), is_higher);
    for (std::uint64_t i = 0; i < best; ++i) {
      const long double value = number_at(tensor, row * width + order[i]);
      out.strings.push_back(is_float(tensor.type) ? fmt::format("{:f}:{}", static_cast<double>(value), order[i])
                                                  : fmt::format("{:.0f}:{}", value, order[i]));
    }
  }
  return out;
}

}  // namespace roost
