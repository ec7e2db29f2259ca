#pragma once

#include <cstdint>

#include "infer/tensor.h"

namespace roost {

// The `classes` highest values as strings "value:index", highest first, as Triton writes them: BYTES of [classes], or of
// [rows,classes] where the tensor has more than one dimension. NaN comes last. kInvalidArgument for BOOL and BYTES.
Result<Tensor> classify(const Tensor& tensor, std::uint64_t classes);

}  // namespace roost
