#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "infer/infer_request.h"

namespace roost {

// Signatures that the tests of the wire formats share.
inline ModelSignature one_input() {
  return {"birds", "3", {{"x", DataType::kFp32, {-1, 2}}}, {{"y", DataType::kFp32, {-1, 2}}}};
}
inline ModelSignature two_inputs() {
  return {"pair", "1", {{"ids", DataType::kInt64, {-1, -1}}, {"words", DataType::kBytes, {-1}}},
          {{"scores", DataType::kFp32, {-1, 3}}, {"labels", DataType::kBytes, {-1}}}};
}
inline ModelSignature of_type(DataType type) { return {"m", "1", {{"x", type, {-1}}}, {{"y", type, {-1}}}}; }

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> out(tensor.data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), tensor.data.data(), out.size() * sizeof(T));
  return out;
}

template <class T>
Tensor make_tensor(std::string name, DataType type, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  const auto kept = std::make_shared<std::string>(bytes_of(values));
  return {std::move(name), type, std::move(shape), *kept, {}, kept};
}

inline Tensor make_strings(std::string name, std::vector<std::int64_t> shape, std::vector<std::string> strings) {
  return {std::move(name), DataType::kBytes, std::move(shape), {}, std::move(strings), nullptr};
}

}  // namespace roost
