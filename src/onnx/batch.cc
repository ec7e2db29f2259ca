#include "onnx/batch.h"

#include <algorithm>
#include <cstring>

#include "onnx/ort_value.h"

namespace roost {

std::int64_t rows_of(std::span<const Tensor> inputs) {
  if (inputs.empty() || inputs.front().shape.empty()) return -1;
  const std::int64_t rows = inputs.front().shape.front();
  const bool same = std::ranges::all_of(
      inputs, [rows](const Tensor& input) { return !input.shape.empty() && input.shape.front() == rows; });
  return same ? rows : -1;
}

bool go_together(std::span<const Tensor> one, std::span<const Tensor> other) {
  return std::ranges::equal(one, other, [](const Tensor& a, const Tensor& b) {
    return a.type == b.type && a.shape.size() == b.shape.size() &&
           std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1) && a.name == b.name;
  });
}

std::vector<Tensor> join_rows(std::span<const std::span<const Tensor>> requests) {
  std::vector<Tensor> joined;
  for (std::size_t i = 0; i < requests.front().size(); ++i) {
    const Tensor& first = requests.front()[i];
    Tensor all{first.name, first.type, first.shape, {}, {}, nullptr};
    all.shape.front() = 0;
    std::size_t size = 0;
    for (const auto& request : requests) {
      all.shape.front() += request[i].shape.front();
      size += request[i].data.size();
    }
    if (first.type == DataType::kBytes) {
      for (const auto& request : requests)
        all.strings.insert(all.strings.end(), request[i].strings.begin(), request[i].strings.end());
    } else {
      const auto memory = aligned_memory(size);
      char* end = memory.get();
      for (const auto& request : requests) end = std::ranges::copy(request[i].data, end).out;
      all.data = {memory.get(), size};
      all.owner = memory;
    }
    joined.push_back(std::move(all));
  }
  return joined;
}

std::vector<Tensor> slice_rows(std::span<const Tensor> tensors, std::int64_t from, std::int64_t to) {
  std::vector<Tensor> slices;
  slices.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    Tensor slice{tensor.name, tensor.type, tensor.shape, {}, {}, tensor.owner};
    slice.shape.front() = to - from;
    const auto part = [&](std::size_t whole, std::int64_t row) {
      return whole / static_cast<std::size_t>(tensor.shape.front()) * static_cast<std::size_t>(row);
    };
    if (tensor.shape.front() == 0) {
      // nothing to show
    } else if (tensor.type == DataType::kBytes) {
      const auto begin = tensor.strings.begin();
      slice.strings.assign(begin + static_cast<std::ptrdiff_t>(part(tensor.strings.size(), from)),
                           begin + static_cast<std::ptrdiff_t>(part(tensor.strings.size(), to)));
    } else {
      slice.data = tensor.data.substr(part(tensor.data.size(), from), part(tensor.data.size(), to - from));
    }
    slices.push_back(std::move(slice));
  }
  return slices;
}

}  // namespace roost
