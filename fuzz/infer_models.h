#pragma once

#include "infer/tensor.h"

// A model with an input of every type and any rank, so that every reader is reached, and one with a single input.
inline roost::ModelSignature every_type() {
  roost::ModelSignature model{"all", "1", {}, {}};
  for (int i = 0; i <= static_cast<int>(roost::DataType::kBytes); ++i) {
    const auto type = static_cast<roost::DataType>(i);
    model.inputs.push_back({std::string(1, static_cast<char>('a' + i)), type, {}});
    model.outputs.push_back(model.inputs.back());
  }
  return model;
}

// Of a type that the input chooses.
inline roost::ModelSignature single_input(unsigned char choice) {
  const auto type = static_cast<roost::DataType>(choice % (static_cast<int>(roost::DataType::kBytes) + 1));
  return {"one", "1", {{"x", type, {-1, 2}}}, {{"y", type, {-1, 2}}}};
}

// What must hold of a tensor that was taken: its data is there, all of it, and can be read as its type.
inline void check_tensor(const roost::Tensor& tensor) {
  const auto count = roost::element_count(tensor.shape);
  if (!count) __builtin_trap();
  const std::size_t size = roost::element_size(tensor.type);
  if (size == 0 ? tensor.strings.size() != *count : tensor.data.size() != *count * size) __builtin_trap();
  if (size != 0 && !tensor.data.empty() && reinterpret_cast<std::uintptr_t>(tensor.data.data()) % size != 0) __builtin_trap();
  volatile char sum = 0;
  for (const char c : tensor.data) sum = static_cast<char>(sum ^ c);
}
