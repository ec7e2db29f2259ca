#pragma once

#include <cstdint>
#include <vector>

#include "onnx/onnx_session.h"

namespace roost {

// Inputs that a model takes, for trying it out: `rows` where the first size varies, `size` where others do. Seed 0 is
// all zeros and empty strings; others give numbers between -2 and 2, and for integers 0 and 1, which are safe as
// indexes.
std::vector<Tensor> sample_inputs(const std::vector<TensorSpec>& specs, std::int64_t rows, std::int64_t size,
                                  std::uint32_t seed);

}  // namespace roost
