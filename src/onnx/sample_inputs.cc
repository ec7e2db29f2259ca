#include "onnx/sample_inputs.h"

#include <cstring>
#include <random>

#include "onnx/ort_value.h"

namespace roost {
namespace {

template <class T>
void put(char* place, T value) {
  std::memcpy(place, &value, sizeof(value));
}

void put_sample(char* place, DataType type, double number, bool bit) {
  switch (type) {
    case DataType::kFp32:
      return put(place, static_cast<float>(number));
    case DataType::kFp64:
      return put(place, number);
    case DataType::kFp16:
      return put<std::uint16_t>(place, bit ? 0x3C00 : 0xB800);  // 1 and -0.5
    case DataType::kBf16:
      return put<std::uint16_t>(place, bit ? 0x3F80 : 0xBF00);
    default:
      *place = bit ? 1 : 0;  // the lowest byte of an integer
  }
}

}  // namespace

std::vector<Tensor> sample_inputs(const std::vector<TensorSpec>& specs, std::int64_t rows, std::int64_t size,
                                  std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<double> numbers(-2, 2);
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : specs) {
    Tensor input{spec.name, spec.type, spec.shape, {}, {}, nullptr};
    std::size_t count = 1;
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
      if (input.shape[i] < 0) input.shape[i] = i == 0 ? rows : size;
      count *= static_cast<std::size_t>(input.shape[i]);
    }
    if (spec.type == DataType::kBytes) {
      for (std::size_t i = 0; i < count; ++i)
        input.strings.emplace_back(seed == 0 ? "" : random() % 2 == 0 ? "a" : "b");
    } else {
      const std::size_t each = element_size(spec.type);
      const auto memory = aligned_memory(count * each);
      std::memset(memory.get(), 0, count * each);
      for (std::size_t i = 0; seed != 0 && i < count; ++i)
        put_sample(memory.get() + i * each, spec.type, numbers(random), random() % 2 == 0);
      input.data = {memory.get(), count * each};
      input.owner = memory;
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace roost
