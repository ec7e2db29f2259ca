#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "infer/tensor.h"
#include "onnx/library.h"
#include "onnx/model_runner.h"

// What the tests of this folder share.
namespace roost {

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "roost-onnx-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TestFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string write(const std::string& name, std::string_view bytes) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

template <class T>
Tensor tensor_of(std::string name, DataType type, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  auto bytes = std::make_shared<std::string>(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes->data(), values.data(), bytes->size());
  Tensor tensor{std::move(name), type, std::move(shape), *bytes, {}, bytes};
  return tensor;
}
inline Tensor floats(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return tensor_of(std::move(name), DataType::kFp32, std::move(shape), values);
}
template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(T));
  return values;
}
inline Deadline in_a_minute() { return std::chrono::steady_clock::now() + std::chrono::minutes(1); }

}  // namespace roost

// For tests that need the library itself.
#define ROOST_NEEDS_ONNXRUNTIME(library)                                 \
  auto library##_found = ::roost::open_onnxruntime();                    \
  if (!library##_found) GTEST_SKIP() << library##_found.error().message; \
  const ::roost::OrtLibrary library = *library##_found
